/// The head of a response: status line and fields, byte for byte (RFC 9112 §2.1, §4).
public struct ResponseHead: Sendable, Hashable {
    /// The head as received, from `HTTP/` to the end of the empty line.
    public let octets: [UInt8]
    /// The version that the sender named.
    public let version: HTTPVersion
    /// The status code, 100…999.
    public let status: Int
    /// The range of the reason phrase in `octets`; empty if there is none.
    public let reasonRange: Range<Int>
    /// The pseudo-header fields of HTTP/2 as lines of `octets`; empty in HTTP/1.
    public var pseudoFields: [HeaderFields.Line] { pseudoLines ?? [] }
    /// Nil if there are none: HTTP/1 heads are copied often.
    private let pseudoLines: [HeaderFields.Line]?
    /// The field lines.
    public let fields: HeaderFields

    /// Creates a parsed head. `reasonRange` is within `octets`; `HTTPWire` makes these.
    public init(
        octets: [UInt8], version: HTTPVersion, status: Int, reasonRange: Range<Int>,
        pseudoFields: [HeaderFields.Line] = [], fields: HeaderFields
    ) {
        self.octets = octets
        self.version = version
        self.status = status
        self.reasonRange = reasonRange
        pseudoLines = pseudoFields.isEmpty ? nil : pseudoFields
        self.fields = fields
    }

    /// Creates a head from parts that the caller has validated.
    public init(
        version: HTTPVersion = .http11, status: Int, reason: String, fields: HeaderFields
    ) {
        var octets = Array("\(version) \(status) ".utf8)
        let start = octets.count
        octets.append(contentsOf: reason.utf8)
        let reasonRange = start..<octets.count
        octets.append(contentsOf: [0x0D, 0x0A])
        let (all, lines) = HeadComposer.compose(startLine: octets, fields: fields)
        self.init(
            octets: all, version: version, status: status, reasonRange: reasonRange,
            fields: HeaderFields(octets: all, lines: lines))
    }

    /// The status line as text, without its line end; for HTTP/2, which has none, composed of its
    /// parts.
    public var statusLineText: String {
        reasonRange.isEmpty ? "\(version) \(status)" : "\(version) \(status) \(reason)"
    }
    /// The reason phrase as text; empty if there is none.
    public var reason: String { ASCII.text(octets[reasonRange]) }
    /// Whether this is an interim response (RFC 9110 §15.2).
    public var isInformational: Bool { status < 200 }

    /// The pseudo-header fields of HTTP/2, followed by the field lines.
    public var allFields: HeaderFields {
        guard let pseudoLines else { return fields }
        return HeaderFields(octets: octets, lines: pseudoLines + fields.lines)
    }
}
