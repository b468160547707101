internal import Synchronization

/// Requests from signals for the thread that started the daemon. That thread waits here and carries
/// them out, so that no connection waits while a reload reads files.
final class DaemonRequests: Sendable {
    enum Request {
        case reload
        case stop
    }

    private let asked = Mutex((reload: false, stop: false))
    private let news: Latch

    init() throws {
        news = try Latch()
    }

    /// Adds a request, from any thread. A request that is already queued is not added again.
    func ask(_ request: Request) {
        let isNews = asked.withLock { asked in
            let before = asked
            switch request {
            case .reload: asked.reload = true
            case .stop: asked.stop = true
            }
            return asked != before
        }
        if isNews { news.open() }
    }

    /// Waits for the next request; a stop takes precedence over a reload.
    func next() -> Request {
        while true {
            news.wait()
            let request: Request? = asked.withLock { asked in
                if asked.stop { return .stop }
                defer { asked.reload = false }
                return asked.reload ? .reload : nil
            }
            if let request { return request }
        }
    }
}
