public import ProxydFilter
public import ProxydHTTPModel

/// Where captures come from that answer requests. What it does is called on threads that may wait
/// for a disk.
public struct MockSource: Sendable {
    /// The most bytes of a body that are served.
    public static let bodyByteCountMax = 64 << 20

    /// Hands over the exchanges that pass a filter, as they were recorded one after the other,
    /// until the body says false.
    public let read: @Sendable (Filter, _ take: (Exchange) -> Bool) throws -> Void
    /// One exchange, its bodies whole where they have no more bytes than are served; nil where it
    /// is gone.
    public let exchange: @Sendable (Int64) throws -> Exchange?
    /// Whether a URL names no other server than the one that serves captures: then those of any
    /// server answer.
    public let isOwn: @Sendable (RawURL) -> Bool
    /// Hears what came of reading the captures of a mock.
    public let onRead: @Sendable (MockReport) -> Void

    /// A source of captures.
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
