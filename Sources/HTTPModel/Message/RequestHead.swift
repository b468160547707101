/// The head of a request: start line and fields, octet for octet (RFC 9112 §2.1, §3).
public struct RequestHead: Sendable, Hashable {
    /// The head as received, from the first octet of the method to the empty line's end.
    public let octets: [UInt8]
    /// The method token.
    public let method: HTTPMethod
    /// Where the request target lies in `octets`.
    public let targetRange: Range<Int>
    /// The version the sender named.
    public let version: HTTPVersion
    /// The pseudo-fields of HTTP/2 in their order, as lines of `octets`; none in HTTP/1.
    public var pseudoFields: [HeaderFields.Line] { pseudoLines ?? [] }
    /// Nil where there are none: heads of HTTP/1 are copied often.
    private let pseudoLines: [HeaderFields.Line]?
    /// The field lines.
    public let fields: HeaderFields

    /// A parsed head. `targetRange` lies within `octets`; `HTTPWire` makes these.
    public init(
        octets: [UInt8], method: HTTPMethod, targetRange: Range<Int>, version: HTTPVersion,
        pseudoFields: [HeaderFields.Line] = [], fields: HeaderFields
    ) {
        self.octets = octets
        self.method = method
        self.targetRange = targetRange
        self.version = version
        pseudoLines = pseudoFields.isEmpty ? nil : pseudoFields
        self.fields = fields
    }

    /// Composes a head of parts that the caller has validated.
    public init(
        method: HTTPMethod, target: [UInt8], version: HTTPVersion = .http11, fields: HeaderFields
    ) {
        var octets = Array(method.rawValue.utf8)
        octets.append(0x20)
        let start = octets.count
        octets.append(contentsOf: target)
        let targetRange = start..<octets.count
        octets.append(contentsOf: " \(version)\r\n".utf8)
        let (all, lines) = HeadComposer.compose(startLine: octets, fields: fields)
        self.init(
            octets: all, method: method, targetRange: targetRange, version: version,
            fields: HeaderFields(octets: all, lines: lines))
    }

    /// Whether it asks for a tunnel: a CONNECT that names no protocol (RFC 9110 §9.3.6).
    public var isClassicConnect: Bool { method == .connect && protocolLine == nil }

    /// Whether it asks to speak another protocol on its stream (RFC 8441 §4).
    public var isExtendedConnect: Bool { protocolLine != nil && method == .connect }

    /// The protocol that an extended CONNECT names; nil where it is none.
    public var connectProtocol: String? {
        guard let line = protocolLine, method == .connect else { return nil }
        return ASCII.text(octets[line.valueRange])
    }

    /// Asked for before the method: of heads of HTTP/1 it is one comparison.
    private var protocolLine: HeaderFields.Line? {
        pseudoLines == nil ? nil : pseudoField(":protocol")
    }

    /// The pseudo-fields of HTTP/2, then the field lines.
    public var allFields: HeaderFields {
        guard let pseudoLines else { return fields }
        return HeaderFields(octets: octets, lines: pseudoLines + fields.lines)
    }

    /// The pseudo-field of a name.
    public func pseudoField(_ name: StaticString) -> HeaderFields.Line? {
        pseudoFields.first {
            ASCII.equalsIgnoringCase(octets.span.extracting($0.nameRange), name)
        }
    }

    /// The authority that the client names beside the target, as text: `:authority` or Host.
    public var authority: String? {
        guard let line = pseudoField(":authority") ?? fields.first(.host) else { return nil }
        return ASCII.text(octets[line.valueRange])
    }

    /// The octets of the request target (RFC 9112 §3.2).
    public var target: ArraySlice<UInt8> { octets[targetRange] }
    /// The start line as text, without its line end; HTTP/2 has none, and gets one of its parts.
    public var startLineText: String { "\(method) \(targetText) \(version)" }
    /// The request target as text.
    public var targetText: String { ASCII.text(target) }
}
