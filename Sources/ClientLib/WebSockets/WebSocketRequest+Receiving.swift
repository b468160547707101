public import FoundationEssentials

extension WebSocketRequest {
    /// Messages as they arrive. The sequence ends when the server closes the WebSocket with 1000,
    /// 1001 or no code, or when this side closes it; it throws the error for any other end.
    public var messages: WebSocketSequence<Message, ClientError> { messages() }

    /// All events as they happen; `.completed` is the last.
    public var events: WebSocketSequence<Event<Message, Never>, Never> { events() }

    /// Messages as they arrive. Without `automaticallyCancelling`, the WebSocket stays open when
    /// the iteration ends early.
    public func messages(
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Message, ClientError> {
        WebSocketSequence(self, automaticallyCancelling) { event throws(ClientError) in
            if let error = event.completion?.error { throw error }
            return event.message
        }
    }

    /// All events as they happen.
    public func events(
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Event<Message, Never>, Never> {
        WebSocketSequence(self, automaticallyCancelling) { $0 }
    }

    /// Messages decoded to values, by default from JSON.
    /// - Returns: a sequence that also throws `.responseSerializationFailed` for a message that
    ///   cannot be decoded; the next call returns the next message.
    public func messages<Value: Decodable & Sendable>(
        of type: Value.Type, decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Value, ClientError> {
        WebSocketSequence(self, automaticallyCancelling) { event throws(ClientError) in
            if let error = event.completion?.error { throw error }
            guard let message = event.message else { return nil }
            return try WebSocketRequest.value(of: message, decoder)
        }
    }

    /// All events, with messages decoded to values. A message that cannot be decoded is an event
    /// too.
    public func events<Value: Decodable & Sendable>(
        of type: Value.Type, decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Event<Value, ClientError>, Never> {
        WebSocketSequence(self, automaticallyCancelling) { event in
            switch event.kind {
            case .connected(let name): return Event(kind: .connected(protocol: name))
            case .disconnected(let code, let reason):
                return Event(kind: .disconnected(closeCode: code, reason: reason))
            case .completed(let completion): return Event(kind: .completed(completion))
            case .receivedMessage(let message):
                do throws(ClientError) {
                    let value: Value = try WebSocketRequest.value(of: message, decoder)
                    return Event(kind: .receivedMessage(value))
                } catch {
                    return Event(kind: .serializerFailed(error))
                }
            }
        }
    }

    private static func value<Value: Decodable>(
        of message: Message, _ decoder: any DataDecoder
    ) throws(ClientError) -> Value {
        do {
            return try decoder.decode(Value.self, from: Data(message.bytes))
        } catch {
            throw ClientError(.responseSerializationFailed(.decodingFailed), underlying: error)
        }
    }
}
