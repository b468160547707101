public import ProxydFilter
public import ProxydHTTPModel

/// The source of captures that answer requests. Its closures are called on threads that may block.
public struct MockSource: Sendable {
    /// The maximum size of a body that is served, in bytes.
    public static let bodyByteCountMax = 64 << 20

    /// Passes the exchanges that a filter selects, in the order in which they were recorded, to
    /// `take`, until that returns false.
    public let read: @Sendable (Filter, _ take: (Exchange) -> Bool) throws -> Void
    /// Returns one exchange, with its bodies complete if they do not exceed the maximum size; nil
    /// if it has been deleted.
    public let exchange: @Sendable (Int64) throws -> Exchange?
    /// Whether a URL names the server that serves captures itself: then captures of any server
    /// answer it.
    public let isOwn: @Sendable (RawURL) -> Bool
    /// Called when the captures of a mock have been read.
    public let onRead: @Sendable (MockReport) -> Void

    /// Creates a source of captures.
    public init(
        read: @escaping @Sendable (Filter, (Exchange) -> Bool) throws -> Void,
        exchange: @escaping @Sendable (Int64) throws -> Exchange?,
        isOwn: @escaping @Sendable (RawURL) -> Bool = { _ in false },
        onRead: @escaping @Sendable (MockReport) -> Void = { _ in }
    ) {
        self.read = read
        self.exchange = exchange
        self.isOwn = isOwn
        self.onRead = onRead
    }
}
