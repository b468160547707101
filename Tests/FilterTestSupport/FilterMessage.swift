public import ProxydFilter
public import ProxydHTTPModel

/// A message as a plain value: what a filter sees.
public struct FilterMessage: MessageFilterSubject, Sendable {
    /// What it is.
    public var kind: MessageRecord.Kind
    /// Which way it went.
    public var direction: MessageRecord.Direction
    /// What it says.
    public var bytes: [UInt8]
    /// Its length in bytes.
    public var byteCount: Int64
    /// The rule that it breaks.
    public var problem: String?

    /// A message of a text.
    public init(
        _ kind: MessageRecord.Kind, _ text: String,
        _ direction: MessageRecord.Direction = .toServer, byteCount: Int64? = nil,
        problem: String? = nil
    ) {
        self.init(kind, Array(text.utf8), direction, byteCount: byteCount, problem: problem)
    }

    /// A message of bytes.
    public init(
        _ kind: MessageRecord.Kind, _ bytes: [UInt8],
        _ direction: MessageRecord.Direction = .toServer, byteCount: Int64? = nil,
        problem: String? = nil
    ) {
        self.kind = kind
        self.direction = direction
        self.bytes = bytes
        self.byteCount = byteCount ?? Int64(bytes.count)
        self.problem = problem
    }
}
