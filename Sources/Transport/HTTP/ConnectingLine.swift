internal import ProxydHTTPModel

/// Exchanges that wait for one connection: if it turns out to use HTTP/2, it may carry all of them,
/// and one connection each would be too many. Confined to the pool's loop.
final class ConnectingLine {
    /// The pool's configuration number when the attempt started.
    let configuration: Int
    /// Whether the connection is made even if no exchange waits for it.
    let isKept: Bool
    private(set) var waiting: [ClientExchange] = []
    /// The connection attempt that the exchanges wait for.
    var attempt: (any Cancellable)?

    init(configuration: Int, isKept: Bool = false) {
        self.configuration = configuration
        self.isKept = isKept
    }

    func add(_ exchange: ClientExchange) { waiting.append(exchange) }

    /// Removes a cancelled exchange; if it was the last one, cancels an attempt that is made only
    /// for exchanges and returns true.
    func remove(_ exchange: ClientExchange) -> Bool {
        waiting.removeAll { $0 === exchange }
        guard waiting.isEmpty, !isKept else { return false }
        attempt?.cancel()
        return true
    }
}
