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
    /// The field lines.
    public let fields: HeaderFields

    /// A parsed head. `targetRange` lies within `octets`; `HTTPWire` makes these.
    public init(
        octets: [UInt8], method: HTTPMethod, targetRange: Range<Int>, version: HTTPVersion,
        fields: HeaderFields
    ) {
        self.octets = octets
        self.method = method
        self.targetRange = targetRange
        self.version = version
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

    /// The octets of the request target (RFC 9112 §3.2).
    public var target: ArraySlice<UInt8> { octets[targetRange] }
    /// The start line as text, without its line end.
    public var startLineText: String { "\(method) \(targetText) \(version)" }
    /// The request target as text.
    public var targetText: String { ASCII.text(target) }
}
