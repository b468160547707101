public import Foundation

/// The events of a stream as sequences.
public struct DataStreamTask: Sendable {
    /// Values as they come, and at last the end. To be iterated once.
    public typealias StreamOf<Value: Sendable, Failure: Error> =
        StreamEvents<DataStreamRequest.Stream<Value, Failure>>

    private let request: DataStreamRequest

    fileprivate init(request: DataStreamRequest) { self.request = request }

    /// The pieces as they come. With `automaticallyCancelling`, who stops listening gives the
    /// request up.
    public func streamingData(
        automaticallyCancelling: Bool = true
    ) -> StreamOf<[UInt8], Never> {
        events(automaticallyCancelling) { request, handler in
            request.responseStream(stream: handler)
        }
    }

    /// The pieces as text.
    public func streamingStrings(
        automaticallyCancelling: Bool = true
    ) -> StreamOf<String, Never> {
        events(automaticallyCancelling) { request, handler in
            request.responseStreamString(stream: handler)
        }
    }

    /// The pieces decoded.
    public func streamingDecodables<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelling: Bool = true
    ) -> StreamOf<Value, ClientError> {
        events(automaticallyCancelling) { request, handler in
            request.responseStreamDecodable(of: type, decoder: decoder, stream: handler)
        }
    }

    /// Gives the request up.
    public func cancel() { request.cancel() }
    /// Pauses the request.
    public func suspend() { request.suspend() }
    /// Starts the request, or goes on after `suspend()`.
    public func resume() { request.resume() }

    private typealias Handler<Value: Sendable, Failure: Error> =
        @Sendable (DataStreamRequest.Stream<Value, Failure>) throws -> Void

    private func events<Value: Sendable, Failure: Error>(
        _ isCancelling: Bool,
        _ attach: (DataStreamRequest, @escaping Handler<Value, Failure>) -> Void
    ) -> StreamOf<Value, Failure> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DataStreamRequest.Stream<Value, Failure>.self)
        attach(request) { event in
            continuation.yield(event)
            if event.completion != nil { continuation.finish() }
        }
        return StreamEvents(stream: stream, request: isCancelling ? request : nil)
    }
}

/// Events of a request as they come. Those that no one has asked for yet are kept: where the server
/// may be faster than the program, `streamingData()` of the request itself slows it down.
public struct StreamEvents<Element: Sendable>: AsyncSequence, Sendable {
    fileprivate let stream: AsyncStream<Element>
    /// What ends with the iteration; nil where it goes on without.
    fileprivate let request: DataStreamRequest?

    /// Asks for the events.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private var iterator: AsyncStream<Element>.Iterator
        private let request: DataStreamRequest?

        fileprivate init(_ iterator: AsyncStream<Element>.Iterator, _ request: DataStreamRequest?) {
            self.iterator = iterator
            self.request = request
        }

        deinit { request?.cancel() }

        /// The next event; nil after the end.
        public func next() async -> Element? { await iterator.next() }
    }

    /// Begins.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream.makeAsyncIterator(), request)
    }
}

extension DataStreamRequest {
    /// The events of the stream as sequences.
    public func streamTask() -> DataStreamTask { DataStreamTask(request: self) }
}
