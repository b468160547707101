public import Dispatch
public import FoundationEssentials
internal import ProxydHTTPModel

extension DataStreamRequest {
    /// Calls `stream` with the serialized value of each piece, and at the end, on `queue` or in the
    /// request's own task. An error thrown by `stream` cancels the request.
    @discardableResult
    public func responseStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer, on queue: DispatchQueue? = nil,
        automaticallyCancelOnStreamError: Bool = false,
        stream: @escaping @Sendable (Stream<Serializer.Output, ClientError>) throws -> Void
    ) -> Self {
        let isCancelling = automaticallyCancelOnStreamError || isCancelledByErrors
        return tell(stream, on: queue) { piece in
            let result = DataStreamRequest.result(serializer, piece)
            if isCancelling, case .failure(let error) = result { return (result, error) }
            return (result, nil)
        }
    }

    /// Calls `stream` with each piece, and at the end.
    @discardableResult
    public func responseStream(
        on queue: DispatchQueue? = nil,
        stream: @escaping @Sendable (Stream<[UInt8], Never>) throws -> Void
    ) -> Self {
        tell(stream, on: queue) { (.success($0), nil) }
    }

    /// Calls `stream` with each piece as text, and at the end.
    @discardableResult
    public func responseStreamString(
        on queue: DispatchQueue? = nil,
        stream: @escaping @Sendable (Stream<String, Never>) throws -> Void
    ) -> Self {
        let serializer = StringStreamSerializer()
        return tell(stream, on: queue) { (serializer.serialize($0).map { .success($0) }, nil) }
    }

    /// Calls `stream` with each piece decoded, and at the end.
    @discardableResult
    public func responseStreamDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, on queue: DispatchQueue? = nil,
        decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelOnStreamError: Bool = false,
        stream: @escaping @Sendable (Stream<Value, ClientError>) throws -> Void
    ) -> Self {
        responseStream(
            using: DecodableStreamSerializer(decoder: decoder), on: queue,
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, stream: stream)
    }

    /// Calls `stream` with the value of each piece, and at the end. The next piece is read from the
    /// network when `stream` has returned, whatever queue it runs on.
    private func tell<Value: Sendable, Failure: Error>(
        _ stream: @escaping @Sendable (Stream<Value, Failure>) throws -> Void,
        on queue: DispatchQueue?,
        making make: @escaping Making<Value, Failure>
    ) -> Self {
        pieces.add { [weak self] piece throws(ClientError) in
            guard let self else { return }
            let (made, end) = make(piece)
            guard let made else { return }
            let told = Stream(event: .stream(made), token: CancellationToken(request: self))
            do {
                try await queue.run { try stream(told) }
            } catch {
                throw .wrapping(error, as: .responseSerializationFailed(.custom))
            }
            if let end { throw end }
        }
        core.add(
            ResponseHandler(isParsing: false) { [weak self] completion, record in
                let end = Completion(
                    request: completion.request, response: completion.response,
                    timeline: record.timeline, error: completion.error)
                let request = self
                return ResponseHandler.Outcome(error: nil) {
                    guard let request else { return }
                    let told = Stream<Value, Failure>(
                        event: .complete(end), token: CancellationToken(request: request))
                    queue.deliver { try? stream(told) }
                }
            }, to: self)
        return self
    }

    /// The value of a piece, or nil if it contains none yet; and the error that ends the stream.
    private typealias Making<Value: Sendable, Failure: Error> =
        @Sendable (_ piece: [UInt8]) -> (Result<Value, Failure>?, ClientError?)

    /// The serialized values of the pieces as they arrive. Iterate the sequence only once; ending
    /// the iteration early cancels the request. Data for the next element is read from the network
    /// only when that element is requested.
    public func streaming<Serializer: DataStreamSerializer>(
        using serializer: Serializer
    ) -> PulledStream<Serializer.Output> {
        let handoff = Handoff<Serializer.Output>()
        pieces.add { piece throws(ClientError) in
            guard let result = DataStreamRequest.result(serializer, piece) else { return }
            guard await handoff.give(try result.get()) else {
                throw ClientError(.explicitlyCancelled)
            }
        }
        core.add(
            ResponseHandler(isParsing: false) { completion, _ in
                ResponseHandler.Outcome(error: nil) { handoff.end(completion.error) }
            }, to: self)
        return PulledStream(handoff: handoff, request: self)
    }

    /// The pieces as they arrive.
    public func streamingData() -> PulledStream<[UInt8]> {
        streaming(using: PassthroughStreamSerializer())
    }

    /// The pieces as text.
    public func streamingStrings() -> PulledStream<String> {
        streaming(using: StringStreamSerializer())
    }

    private static func result<Serializer: DataStreamSerializer>(
        _ serializer: Serializer, _ piece: [UInt8]
    ) -> Result<Serializer.Output, ClientError>? {
        do {
            return try serializer.serialize(piece).map { .success($0) }
        } catch {
            return .failure(.wrapping(error, as: .responseSerializationFailed(.custom)))
        }
    }
}
