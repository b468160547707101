internal import ProxydHTTPModel
internal import Synchronization

/// What all kinds of requests share: their state, and the receivers of their events.
public final class RequestCore: Sendable {
    /// The number of the request, unique within the process.
    public let id: UInt64
    let host: any RequestHost
    /// Creates the request to send; called again for each retry.
    let build: @Sendable () async throws -> HTTPRequest
    /// Receives the response's body, or nil to collect it in memory.
    let consumer: (any BodyConsumer)?
    private let state: Mutex<CoreState>

    private static let lastID = Atomic<UInt64>(0)

    init(
        host: any RequestHost, consumer: (any BodyConsumer)? = nil,
        build: @escaping @Sendable () async throws -> HTTPRequest
    ) {
        self.consumer = consumer
        id = RequestCore.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.host = host
        self.build = build
        state = Mutex(CoreState())
    }

    func read<Value: Sendable>(_ body: (CoreState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    func change<Value: Sendable>(_ body: (inout sending CoreState) -> sending Value) -> Value {
        state.withLock(body)
    }

    /// Changes the request's settings; has no effect on steps that are already done.
    func configure(_ body: (inout CoreState) -> Void) {
        state.withLock { body(&$0) }
    }

    /// Sends an event to all listeners; costs nothing if there are none.
    func emit(_ event: @autoclosure () -> RequestEvent) {
        let listeners = read(\.listeners)
        if listeners.isEmpty { return }
        let event = event()
        for listener in listeners { listener(event) }
    }

    var timeline: RequestTimeline { read(\.timeline) }
}
