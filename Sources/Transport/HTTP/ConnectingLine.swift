internal import ProxydHTTPModel

/// Exchanges that wait for one connection: if it turns out to use HTTP/2, it may carry all of them,
/// and one connection each would be too many. Confined to the pool's loop.
final class ConnectingLine {
    /// The pool's configuration number when the attempt started.
    let configuration: Int
    private(set) var waiting: [ClientExchange] = []
    /// The connection attempt that the exchanges wait for.
    var attempt: (any Cancellable)?

    init(configuration: Int) { self.configuration = configuration }

    func add(_ exchange: ClientExchange) { waiting.append(exchange) }

    /// Removes a cancelled exchange; if it was the last one, cancels the attempt and returns true.
    func remove(_ exchange: ClientExchange) -> Bool {
        waiting.removeAll { $0 === exchange }
        guard waiting.isEmpty else { return false }
        attempt?.cancel()
        return true
    }
}
