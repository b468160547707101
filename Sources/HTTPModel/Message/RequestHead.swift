/// The head of a request: start line and fields, byte for byte (RFC 9112 §2.1, §3).
public struct RequestHead: Sendable, Hashable {
    /// The head as received, from the first byte of the method to the end of the empty line.
    public let bytes: [UInt8]
    /// The method token.
    public let method: HTTPMethod
    /// The range of the request target in `bytes`.
    public let targetRange: Range<Int>
    /// The version that the sender named.
    public let version: HTTPVersion
    /// The pseudo-header fields of HTTP/2 in their order, as lines of `bytes`; empty in HTTP/1.
    public var pseudoFields: [HeaderFields.Line] { pseudoLines ?? [] }
    /// Nil if there are none: HTTP/1 heads are copied often.
    private let pseudoLines: [HeaderFields.Line]?
    /// The field lines.
    public let fields: HeaderFields

    /// Creates a parsed head. `targetRange` is within `bytes`; `HTTPWire` makes these.
    public init(
        bytes: [UInt8], method: HTTPMethod, targetRange: Range<Int>, version: HTTPVersion,
        pseudoFields: [HeaderFields.Line] = [], fields: HeaderFields
    ) {
        self.bytes = bytes
        self.method = method
        self.targetRange = targetRange
        self.version = version
        pseudoLines = pseudoFields.isEmpty ? nil : pseudoFields
        self.fields = fields
    }

    /// Creates a head from parts that the caller has validated.
    public init(
        method: HTTPMethod, target: [UInt8], version: HTTPVersion = .http11, fields: HeaderFields
    ) {
        var bytes = Array(method.rawValue.utf8)
        bytes.append(0x20)
        let start = bytes.count
        bytes.append(contentsOf: target)
        let targetRange = start..<bytes.count
        bytes.append(contentsOf: " \(version)\r\n".utf8)
        let (all, lines) = HeadComposer.compose(startLine: bytes, fields: fields)
        self.init(
            bytes: all, method: method, targetRange: targetRange, version: version,
            fields: HeaderFields(bytes: all, lines: lines))
    }

    /// Whether it asks for a tunnel: a CONNECT without `:protocol` (RFC 9110 §9.3.6).
    public var isClassicConnect: Bool { method == .connect && protocolLine == nil }

    /// Whether it asks for another protocol on its stream (RFC 8441 §4).
    public var isExtendedConnect: Bool { protocolLine != nil && method == .connect }

    /// The protocol that an extended CONNECT names; nil for other requests.
    public var connectProtocol: String? {
        guard let line = protocolLine, method == .connect else { return nil }
        return ASCII.text(bytes[line.valueRange])
    }

    /// Checked before the method: for HTTP/1 heads it is a single comparison.
    private var protocolLine: HeaderFields.Line? {
        pseudoLines == nil ? nil : pseudoField(":protocol")
    }

    /// The pseudo-header fields of HTTP/2, followed by the field lines.
    public var allFields: HeaderFields {
        guard let pseudoLines else { return fields }
        return HeaderFields(bytes: bytes, lines: pseudoLines + fields.lines)
    }

    /// Returns the pseudo-header field with this name.
    public func pseudoField(_ name: StaticString) -> HeaderFields.Line? {
        pseudoFields.first {
            ASCII.equalsIgnoringCase(bytes.span.extracting($0.nameRange), name)
        }
    }

    /// The authority that the client sent in addition to the target, as text: `:authority` or Host.
    public var authority: String? {
        guard let line = pseudoField(":authority") ?? fields.first(.host) else { return nil }
        return ASCII.text(bytes[line.valueRange])
    }

    /// The bytes of the request target (RFC 9112 §3.2).
    public var target: ArraySlice<UInt8> { bytes[targetRange] }
    /// The start line as text, without its line end; for HTTP/2, which has none, composed of its
    /// parts.
    public var startLineText: String { "\(method) \(targetText) \(version)" }
    /// The request target as text.
    public var targetText: String { ASCII.text(target) }
}
