public import Foundation
internal import HTTPModel

extension DataStreamRequest {
    /// Calls `stream` with what a serializer makes of each piece, and at the end. What `stream`
    /// throws cancels the request.
    @discardableResult
    public func responseStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer, automaticallyCancelOnStreamError: Bool = false,
        stream: @escaping @Sendable (Stream<Serializer.Output>) throws -> Void
    ) -> Self {
        pieces.add { [weak self] piece throws(ClientError) in
            guard let self, let result = DataStreamRequest.result(serializer, piece) else { return }
            do {
                try stream(Stream(event: .stream(result), request: self))
            } catch {
                throw .wrapping(error, as: .responseSerializationFailed(.custom))
            }
            if automaticallyCancelOnStreamError, case .failure(let error) = result { throw error }
        }
        core.add(
            ResponseHandler { completion, handle in
                let end = Completion(
                    request: completion.request, response: completion.response,
                    timeline: handle.core.timeline, error: completion.error)
                return ResponseHandler.Outcome(error: nil) {
                    guard let request = handle as? DataStreamRequest else { return }
                    try? stream(Stream(event: .complete(end), request: request))
                }
            }, to: self)
        return self
    }

    /// Calls `stream` with each piece, and at the end.
    @discardableResult
    public func responseStream(
        stream: @escaping @Sendable (Stream<[UInt8]>) throws -> Void
    ) -> Self {
        responseStream(using: PassthroughStreamSerializer(), stream: stream)
    }

    /// Calls `stream` with each piece as text, and at the end.
    @discardableResult
    public func responseStreamString(
        stream: @escaping @Sendable (Stream<String>) throws -> Void
    ) -> Self {
        responseStream(using: StringStreamSerializer(), stream: stream)
    }

    /// Calls `stream` with each piece decoded, and at the end.
    @discardableResult
    public func responseStreamDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelOnStreamError: Bool = false,
        stream: @escaping @Sendable (Stream<Value>) throws -> Void
    ) -> Self {
        responseStream(
            using: DecodableStreamSerializer(decoder: decoder),
            automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, stream: stream)
    }

    /// The values that a serializer makes of the pieces, as they come. The sequence is to be
    /// iterated once; ending the iteration early cancels the request. What the next element waits
    /// for is read from the network only when it is asked for.
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
            ResponseHandler { completion, _ in
                ResponseHandler.Outcome(error: nil) { handoff.end(completion.error) }
            }, to: self)
        return PulledStream(handoff: handoff, request: self)
    }

    /// The pieces as they come.
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
