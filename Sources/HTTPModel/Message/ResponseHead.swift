/// The head of a response: status line and fields, octet for octet (RFC 9112 §2.1, §4).
public struct ResponseHead: Sendable, Hashable {
    /// The head as received, from `HTTP/` to the empty line's end.
    public let octets: [UInt8]
    /// The version the sender named.
    public let version: HTTPVersion
    /// The status code, 100…999.
    public let status: Int
    /// Where the reason phrase lies in `octets`; empty where there is none.
    public let reasonRange: Range<Int>
    /// The pseudo-fields of HTTP/2 as lines of `octets`; none in HTTP/1.
    public var pseudoFields: [HeaderFields.Line] { pseudoLines ?? [] }
    /// Nil where there are none: heads of HTTP/1 are copied often.
    private let pseudoLines: [HeaderFields.Line]?
    /// The field lines.
    public let fields: HeaderFields

    /// A parsed head. `reasonRange` lies within `octets`; `HTTPWire` makes these.
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

    /// Composes a head of parts that the caller has validated.
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

    /// The status line as text, without its line end; HTTP/2 has none, and gets one of its parts.
    public var statusLineText: String {
        reasonRange.isEmpty ? "\(version) \(status)" : "\(version) \(status) \(reason)"
    }
    /// The reason phrase as text, empty where there is none.
    public var reason: String { ASCII.text(octets[reasonRange]) }
    /// Whether this is an interim response (RFC 9110 §15.2).
    public var isInformational: Bool { status < 200 }

    /// The pseudo-fields of HTTP/2, then the field lines.
    public var allFields: HeaderFields {
        guard let pseudoLines else { return fields }
        return HeaderFields(octets: octets, lines: pseudoLines + fields.lines)
    }
}
