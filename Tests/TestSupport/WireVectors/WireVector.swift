public import ProxydHTTPModel

/// One case of a Markdown vector file: a heading, a `wire` block and an `events` block.
///
/// The wire block's info string says `wire request` or `wire response`, then perhaps
/// `to=GET,HEAD` (methods answered) and `eof` (the connection ends after it).
public struct WireVector: Sendable, CustomStringConvertible {
    /// The file's name and the heading.
    public let title: String
    /// Whether a server sends this.
    public let isResponse: Bool
    /// The methods of the requests that are answered.
    public let methods: [HTTPMethod]
    /// Whether the connection ends after it.
    public let endsThere: Bool
    /// What is sent.
    public let bytes: [UInt8]
    /// What a decoder says of it.
    public let events: [String]

    /// The title.
    public var description: String { title }

    /// A case of a test's own.
    public init(
        title: String, isResponse: Bool, methods: [HTTPMethod], endsThere: Bool, bytes: [UInt8],
        events: [String]
    ) {
        self.title = title
        self.isResponse = isResponse
        self.methods = methods
        self.endsThere = endsThere
        self.bytes = bytes
        self.events = events
    }
}
