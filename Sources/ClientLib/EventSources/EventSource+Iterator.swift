internal import ProxydHTTPWire
internal import Synchronization

extension EventSource {
    /// Iterates over the events.
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

        /// The next event, or nil at the end.
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
                eventByteCountMax: configuration.maximumEventSize,
                lastEventID: decoder.lastEventID)
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
