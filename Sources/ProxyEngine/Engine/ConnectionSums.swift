internal import Synchronization

/// Adds up the connection counts of all loops and reports the totals once.
final class ConnectionSums: Sendable {
    private struct State {
        var remaining: Int
        var clients = 0
        var servers = 0
    }

    private let state: Mutex<State>
    private let completion: @Sendable (Int, Int) -> Void

    init(workerCount: Int, completion: @escaping @Sendable (Int, Int) -> Void) {
        state = Mutex(State(remaining: workerCount))
        self.completion = completion
    }

    func add(clients: Int, servers: Int) {
        let sum = state.withLock { state -> State? in
            state.remaining -= 1
            state.clients += clients
            state.servers += servers
            return state.remaining == 0 ? state : nil
        }
        if let sum { completion(sum.clients, sum.servers) }
    }
}
