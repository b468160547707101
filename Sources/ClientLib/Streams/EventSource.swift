public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding
internal import Synchronization

/// A server's events (WHATWG HTML §9.2), over as many connections as necessary. Iterate it only
/// once.
///
/// ```swift
/// for try await event in session.eventSource("https://api.test/news") {
///     print(event.event, event.data)
/// }
/// ```
/// Reconnects when a response ends or the connection drops, sending `Last-Event-ID`, after the
/// server's `retry` delay. A 204 ends the sequence. It throws for any other status than 200, for
/// another content type, and if the first connection fails. Retriers, adapters, redirects and
/// challenges apply as usual. Each connection is a request of its own, and recorded as an exchange.
/// Events are read from the network only when they are requested.
public final class EventSource: AsyncSequence, Sendable {
    public struct Event: Sendable, Hashable {
        /// The last event ID so far, possibly of this event; nil for none.
        public var id: String?
        /// The event type, or `message` if the server named none.
        public var event: String
        /// The data lines joined with LF.
        public var data: String
        /// The reconnection delay that this event sets, or nil if it sets none.
        public var retry: Duration?

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
        _ configuration: Configuration, connect: @escaping @Sendable (String) -> DataStreamRequest
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

extension EventSource {
    public struct Configuration: Sendable {
        /// The delay before reconnecting, unless the server sets another.
        public var reconnectionTime: Duration = .seconds(3)
        /// The longest delay: each failed connection doubles it. A longer one that the server
        /// requests is used nevertheless.
        public var maximumReconnectionTime: Duration = .seconds(60)
        /// How many connections in a row may fail before the sequence fails; nil for no limit. A
        /// connection that delivers an event resets the count.
        public var maximumFailureCount: Int?
        /// The largest event in bytes, including comments; a larger one fails with
        /// `.messageTooLarge`.
        public var maximumEventSize = 16 << 20
        /// The longest time without data before reconnecting.
        public var idleTimeout: Duration = .seconds(300)
        /// The value of `Last-Event-ID` in the first request, to continue from there; empty for
        /// none.
        public var lastEventID = ""
        /// The clock that measures delays; tests use their own.
        public var clock: any Clock<Duration> = ContinuousClock()

        public init() {}

        /// The delay after this many failures in a row; 0 after a connection that ended normally. A
        /// server may request another delay of up to a day.
        func pause(wishedMs: Int64?, failureCount: Int) -> Duration {
            let day = Duration.seconds(86_400)
            let wished = wishedMs.map { Swift.min(.milliseconds($0), day) }
            let first = wished ?? reconnectionTime
            var pause = first
            for _ in 1..<Swift.max(1, Swift.min(failureCount, 32)) {
                pause = Swift.min(pause * 2, day)
            }
            return Swift.max(first, Swift.min(pause, maximumReconnectionTime))
        }
    }

    public final class AsyncIterator: AsyncIteratorProtocol {
        private let source: EventSource
        private var decoder: EventStreamDecoder
        /// Events that have arrived but not been requested yet, in reverse order.
        private var waiting: [Event] = []
        private var pieces: PulledStream<[UInt8]>.AsyncIterator?
        /// The delay that the server requests, in milliseconds.
        private var wishedMs: Int64?
        private var failureCount = 0
        private var hasConnected = false
        private var isOver = false

        init(_ source: EventSource) {
            self.source = source
            decoder = EventStreamDecoder(
                eventByteCountMax: source.configuration.maximumEventSize,
                lastEventID: source.lastEventID)
        }

        deinit { source.cancel() }

        public func next() async throws(ClientError) -> Event? {
            do throws(ClientError) {
                while !isOver {
                    if let event = waiting.popLast() { return event }
                    try await step()
                }
                return nil
            } catch {
                isOver = true
                if source.state.withLock({ $0.isCancelled }) { return nil }
                throw error
            }
        }

        /// Connects, or processes data that arrived over the connection.
        private func step() async throws(ClientError) {
            guard let pieces else { return connect() }
            do throws(ClientError) {
                guard let piece = try await pieces.next() else { return try await ended() }
                hasConnected = true
                try take(piece)
            } catch {
                // Of a failed connection, only what it has already delivered counts.
                hasConnected = hasConnected || source.response?.status == 200
                guard error.endsConnectionOnly, hasConnected else { throw error }
                try await reconnect(after: error)
            }
        }

        private func connect() {
            guard let request = source.nextRequest() else { return isOver = true }
            pieces = request.streamingData().makeAsyncIterator()
        }

        private func take(_ piece: [UInt8]) throws(ClientError) {
            var events: [ServerSentEvent] = []
            defer {
                let id = decoder.lastEventID
                source.state.withLock { $0.lastEventID = id }
                if !events.isEmpty { failureCount = 0 }
                waiting = events.reversed().map(Event.init)
            }
            do throws(EventStreamDecoder.Failure) {
                try decoder.receive(piece.span, into: &events)
            } catch {
                throw ClientError(.messageTooLarge(limit: source.configuration.maximumEventSize))
            }
        }

        /// The server has ended its response: 204 ends the sequence, otherwise the source
        /// reconnects.
        private func ended() async throws(ClientError) {
            decoder.finish()
            if source.response?.status == 204 { return isOver = true }
            hasConnected = true
            try await reconnect(after: nil)
        }

        private func reconnect(after failure: ClientError?) async throws(ClientError) {
            pieces = nil
            wishedMs = decoder.retryMs ?? wishedMs
            let configuration = source.configuration
            if let failure {
                failureCount += 1
                if let max = configuration.maximumFailureCount, failureCount >= max {
                    throw failure
                }
            }
            decoder = EventStreamDecoder(
                eventByteCountMax: configuration.maximumEventSize, lastEventID: decoder.lastEventID)
            try await source.sleep(
                for: configuration.pause(wishedMs: wishedMs, failureCount: failureCount))
        }
    }
}

extension ClientError {
    /// Whether the network caused the error, so that another connection may succeed.
    fileprivate var endsConnectionOnly: Bool {
        switch kind {
        case .network(.certificate), .network(.tlsHandshake), .network(.refused): false
        case .network, .timedOut(.idle), .timedOut(.connect), .proxyFailed, .decodingFailed: true
        default: false
        }
    }
}

extension Session {
    public func eventSource(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HeaderFields? = nil,
        body: HTTPBody = .none, configuration: EventSource.Configuration = .init(),
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> EventSource {
        eventSource(configuration, interceptor) {
            try HTTPRequest.of(url, method, headers, body: body, requestModifier)
        }
    }

    public func eventSource(
        _ convertible: some RequestConvertible, configuration: EventSource.Configuration = .init(),
        interceptor: (any RequestInterceptor)? = nil
    ) -> EventSource {
        eventSource(configuration, interceptor) { try convertible.asRequest() }
    }

    private func eventSource(
        _ configuration: EventSource.Configuration, _ interceptor: (any RequestInterceptor)?,
        _ build: @escaping @Sendable () throws -> HTTPRequest
    ) -> EventSource {
        EventSource(configuration) { [self] lastEventID in
            let request = streamRequest(interceptor, true, isValidatedAtHead: true) { [self] in
                var request = try build()
                request.prepareForEvents(lastEventID)
                var timeouts = request.timeouts ?? self.configuration.timeouts
                timeouts.idle = configuration.idleTimeout
                timeouts.total = nil
                request.timeouts = timeouts
                return request
            }
            return request.addValidator { completion throws(ClientError) in
                try EventSource.check(completion.response)
            }
        }
    }
}

extension HTTPRequest {
    /// Adds the fields of an event stream client (WHATWG HTML §9.2.3) unless the request already
    /// has them.
    fileprivate mutating func prepareForEvents(_ lastEventID: String) {
        if fields["Accept"] == nil { fields.append(name: "Accept", value: "text/event-stream") }
        if fields["Cache-Control"] == nil {
            fields.append(name: "Cache-Control", value: "no-store")
        }
        guard !lastEventID.isEmpty else { return }
        fields.set(name: "Last-Event-ID", value: lastEventID)
    }
}

extension EventSource {
    /// Rejects responses that are not event streams (WHATWG HTML §9.2.3); 204 is accepted as the
    /// end.
    static func check(_ head: ResponseHead?) throws(ClientError) {
        guard let head, head.status != 204 else { return }
        guard head.status == 200 else {
            throw ClientError(.responseValidationFailed(.unacceptableStatusCode(code: head.status)))
        }
        let wanted = "text/event-stream"
        guard let value = head.fields.value(.contentType), let type = MediaType(value) else {
            throw ClientError(.responseValidationFailed(.missingContentType(acceptable: [wanted])))
        }
        guard type.essence.lowercased() == wanted else {
            throw ClientError(
                .responseValidationFailed(
                    .unacceptableContentType(acceptable: [wanted], actual: type.essence)))
        }
    }
}
