public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

/// A server's events (WHATWG HTML §9.2), over as many connections as it takes: a sequence to be
/// iterated once.
///
/// ```swift
/// for try await event in session.eventSource("https://api.test/news") {
///     print(event.event, event.data)
/// }
/// ```
/// Where the server ends a response or the network does, it is asked again, with the ID of the last
/// event in `Last-Event-ID`, after the pause that the server wished for. A 204 ends the sequence.
/// It throws for any other status than 200, for another content type, and where there was no first
/// connection. Retriers, adapters, redirects and challenges do what they always do. Each connection
/// is a request of its own, and recorded as an exchange. Events are read from the network when they
/// are asked for.
public final class EventSource: AsyncSequence, Sendable {
    /// An event of the server.
    public struct Event: Sendable, Hashable {
        /// The last event ID so far, possibly of this event; nil for none.
        public var id: String?
        /// The event type, or `message` if the server named none.
        public var event: String
        /// The data lines joined with LF.
        public var data: String
        /// The reconnection delay that this event sets, or nil if it sets none.
        public var retry: Duration?

        /// Creates an event from its parts.
        public init(
            id: String? = nil, event: String = "message", data: String, retry: Duration? = nil
        ) {
            self.id = id
            self.event = event
            self.data = data
            self.retry = retry
        }
    }

    struct State {
        var request: DataStreamRequest?
        var lastEventID = ""
        var connectionCount = 0
        var isCancelled = false
        /// The current delay between two connections; its value says whether it ran to the end.
        var pause: Task<Bool, Never>?
    }

    let configuration: Configuration
    /// Creates the request of a connection; its argument is the last event ID, empty for none.
    let connect: @Sendable (String) -> DataStreamRequest
    let state = Mutex(State())

    init(
        _ configuration: Configuration,
        connect: @escaping @Sendable (String) -> DataStreamRequest
    ) {
        self.configuration = configuration
        self.connect = connect
        state.withLock { $0.lastEventID = configuration.lastEventID }
    }

    /// The head of the newest connection's response; set by its first event at the latest.
    public var response: ResponseHead? { state.withLock { $0.request }?.response }
    /// The newest connection's request, or nil before the first.
    public var request: DataStreamRequest? { state.withLock { $0.request } }
    /// The last event ID, from which another `EventSource` can continue.
    public var lastEventID: String { state.withLock { $0.lastEventID } }
    /// The number of connections so far, including the current one.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Ends the source: the iteration ends without an error.
    public func cancel() {
        let (request, pause) = state.withLock { state in
            state.isCancelled = true
            return (state.request, state.pause)
        }
        request?.cancel()
        pause?.cancel()
    }

    /// Creates an iterator; nothing is sent before the first event is requested.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Waits between two connections.
    /// - Throws: `.explicitlyCancelled` if the task or the source is cancelled.
    func sleep(for duration: Duration) async throws(ClientError) {
        let pause = Task { [clock = configuration.clock] in
            (try? await clock.sleep(for: duration)) != nil
        }
        let isWanted = state.withLock { state in
            state.pause = pause
            return !state.isCancelled
        }
        if !isWanted { pause.cancel() }
        let isWhole = await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        state.withLock { $0.pause = nil }
        guard isWhole else { throw ClientError(.explicitlyCancelled) }
    }

    /// The request of a new connection, or nil if the source has been cancelled.
    func nextRequest() -> DataStreamRequest? {
        let lastID = state.withLock { $0.isCancelled ? nil : $0.lastEventID }
        guard let lastID else { return nil }
        let request = connect(lastID)
        let isWanted = state.withLock { state in
            state.request = request
            state.connectionCount += 1
            return !state.isCancelled
        }
        return isWanted ? request : nil
    }
}

extension EventSource.Event {
    init(_ event: ServerSentEvent) {
        self.init(
            id: event.id, event: event.event ?? "message", data: event.text,
            retry: event.retryMs.map { .milliseconds(min($0, 86_400_000)) })
    }
}
