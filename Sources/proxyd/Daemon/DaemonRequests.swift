internal import Synchronization

/// What signals ask of the thread that started the daemon. It waits here and does it, so that no
/// connection waits for files that a reload reads.
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

    /// Asks for something, from any thread. What was asked for and not begun is not asked again.
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

    /// Waits for the next request; one to stop comes before one to reload.
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
