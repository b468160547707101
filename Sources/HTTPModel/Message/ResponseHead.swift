/// The head of a response: status line and fields, byte for byte (RFC 9112 §2.1, §4).
public struct ResponseHead: Sendable, Hashable {
    /// The head as received, from `HTTP/` to the end of the empty line.
    public let bytes: [UInt8]
    /// The version that the sender named.
    public let version: HTTPVersion
    /// The status code, 100…999.
    public let status: Int
    /// The range of the reason phrase in `bytes`; empty if there is none.
    public let reasonRange: Range<Int>
    /// The pseudo-header fields of HTTP/2 as lines of `bytes`; empty in HTTP/1.
    public var pseudoFields: [HeaderFields.Line] { pseudoLines ?? [] }
    /// Nil if there are none: HTTP/1 heads are copied often.
    private let pseudoLines: [HeaderFields.Line]?
    /// The field lines.
    public let fields: HeaderFields

    /// Creates a parsed head. `reasonRange` is within `bytes`; `HTTPWire` makes these.
    public init(
        bytes: [UInt8], version: HTTPVersion, status: Int, reasonRange: Range<Int>,
        pseudoFields: [HeaderFields.Line] = [], fields: HeaderFields
    ) {
        self.bytes = bytes
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
        var bytes = Array("\(version) \(status) ".utf8)
        let start = bytes.count
        bytes.append(contentsOf: reason.utf8)
        let reasonRange = start..<bytes.count
        bytes.append(contentsOf: [0x0D, 0x0A])
        let (all, lines) = HeadComposer.compose(startLine: bytes, fields: fields)
        self.init(
            bytes: all, version: version, status: status, reasonRange: reasonRange,
            fields: HeaderFields(bytes: all, lines: lines))
    }

    /// The status line as text, without its line end; for HTTP/2, which has none, composed of its
    /// parts.
    public var statusLineText: String {
        reasonRange.isEmpty ? "\(version) \(status)" : "\(version) \(status) \(reason)"
    }
    /// The reason phrase as text; empty if there is none.
    public var reason: String { ASCII.text(bytes[reasonRange]) }
    /// Whether this is an interim response (RFC 9110 §15.2).
    public var isInformational: Bool { status < 200 }

    /// The pseudo-header fields of HTTP/2, followed by the field lines.
    public var allFields: HeaderFields {
        guard let pseudoLines else { return fields }
        return HeaderFields(bytes: bytes, lines: pseudoLines + fields.lines)
    }
}
