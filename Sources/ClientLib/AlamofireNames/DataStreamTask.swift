public import FoundationEssentials

/// The events of a stream as sequences.
public struct DataStreamTask: Sendable {
    /// Values as they arrive, followed by the end. Iterate it only once.
    public typealias StreamOf<Value: Sendable, Failure: Error> =
        StreamEvents<DataStreamRequest.Stream<Value, Failure>>

    private let request: DataStreamRequest

    fileprivate init(request: DataStreamRequest) { self.request = request }

    /// The pieces as they arrive. With `automaticallyCancelling`, ending the iteration cancels the
    /// request.
    public func streamingData(automaticallyCancelling: Bool = true) -> StreamOf<[UInt8], Never> {
        events(automaticallyCancelling) { request, handler in
            request.responseStream(stream: handler)
        }
    }

    public func streamingStrings(automaticallyCancelling: Bool = true) -> StreamOf<String, Never> {
        events(automaticallyCancelling) { request, handler in
            request.responseStreamString(stream: handler)
        }
    }

    public func streamingDecodables<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelling: Bool = true
    ) -> StreamOf<Value, ClientError> {
        events(automaticallyCancelling) { request, handler in
            request.responseStreamDecodable(of: type, decoder: decoder, stream: handler)
        }
    }

    public func cancel() { request.cancel() }
    public func suspend() { request.suspend() }
    /// Starts the request, or continues it after `suspend()`.
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

/// Events of a request as they arrive. Events are stored until they are requested; if the server
/// may be faster than the program, use the request's own `streamingData()`, which slows the server
/// down.
public struct StreamEvents<Element: Sendable>: AsyncSequence, Sendable {
    fileprivate let stream: AsyncStream<Element>
    /// The request to cancel when the iteration ends, or nil to let it continue.
    fileprivate let request: DataStreamRequest?

    public final class AsyncIterator: AsyncIteratorProtocol {
        private var iterator: AsyncStream<Element>.Iterator
        private let request: DataStreamRequest?

        fileprivate init(_ iterator: AsyncStream<Element>.Iterator, _ request: DataStreamRequest?) {
            self.iterator = iterator
            self.request = request
        }

        deinit { request?.cancel() }

        public func next() async -> Element? { await iterator.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream.makeAsyncIterator(), request)
    }
}

extension DataStreamRequest {
    public func streamTask() -> DataStreamTask { DataStreamTask(request: self) }
}
