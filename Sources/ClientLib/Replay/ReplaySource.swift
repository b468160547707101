public import ProxydHTTPModel

/// Where the exchanges of a run come from, one at a time: a million of them need no memory.
public protocol ReplaySource {
    /// The next exchange; nil behind the last.
    mutating func next() async throws -> Exchange?
}

/// Exchanges in memory.
public struct ReplayList: ReplaySource {
    private var rest: ArraySlice<Exchange>

    /// These exchanges, in order.
    public init(_ exchanges: [Exchange]) { rest = exchanges[...] }

    /// The next exchange.
    public mutating func next() -> Exchange? { rest.popFirst() }
}
