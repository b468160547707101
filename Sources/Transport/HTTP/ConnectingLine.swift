internal import ProxydHTTPModel

/// Exchanges that wait for one connection which may have room for all of them: were HTTP/2 spoken
/// on it, a connection for each would be too many. Confined to the pool's loop.
final class ConnectingLine {
    /// The number of the configuration under which it began.
    let configuration: Int
    private(set) var waiting: [ClientExchange] = []
    /// The attempt that they wait for.
    var attempt: (any Cancellable)?

    init(configuration: Int) { self.configuration = configuration }

    func add(_ exchange: ClientExchange) { waiting.append(exchange) }

    /// Takes an exchange out that was given up; gives the attempt up with the last, and says so.
    func remove(_ exchange: ClientExchange) -> Bool {
        waiting.removeAll { $0 === exchange }
        guard waiting.isEmpty else { return false }
        attempt?.cancel()
        return true
    }
}
