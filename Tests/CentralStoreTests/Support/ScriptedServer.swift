import ProxydCentralStore
import Synchronization

/// Hands out connections, in their order, and refuses any more.
final class ScriptedServer: Sendable {
    private let all: [ScriptedConnection]
    /// The last one is the next.
    private let waiting: Mutex<[ScriptedConnection]>

    init(_ connections: ScriptedConnection...) {
        all = connections
        waiting = Mutex(connections.reversed())
    }

    /// How many connections were opened.
    var openedCount: Int { all.count - waiting.withLock { $0.count } }

    var link: CentralLink {
        CentralLink { [self] () throws(CentralError) in try open() }
    }

    private func open() throws(CentralError) -> any CentralConnection {
        guard let next = waiting.withLock({ $0.popLast() }) else {
            throw CentralError.connection("no connection is left")
        }
        return next
    }
}
