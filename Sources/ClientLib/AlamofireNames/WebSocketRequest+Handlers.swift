public import Dispatch
public import FoundationEssentials

/// WebSocket handlers in Alamofire's forms. Calls are in order, and a slow handler slows the server
/// down.
extension WebSocketRequest {
    /// Calls `handler` with each message.
    @discardableResult
    public func streamMessages(
        on queue: DispatchQueue? = nil, handler: @escaping @Sendable (Message) -> Void
    ) -> Self {
        streamMessageEvents(on: queue) { event in
            if let message = event.message { handler(message) }
        }
    }

    /// Calls `handler` with each event.
    @discardableResult
    public func streamMessageEvents(
        on queue: DispatchQueue? = nil,
        handler: @escaping @Sendable (Event<Message, Never>) -> Void
    ) -> Self {
        hear(events(automaticallyCancelling: false), on: queue, handler)
    }

    /// Calls `handler` with each message that can be decoded, by default from JSON.
    @discardableResult
    public func streamDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, on queue: DispatchQueue? = nil,
        using decoder: any DataDecoder = JSONDecoder(),
        handler: @escaping @Sendable (Value) -> Void
    ) -> Self {
        streamDecodableEvents(type, on: queue, using: decoder) { event in
            if let value = event.message { handler(value) }
        }
    }

    /// Calls `handler` with each event, with messages decoded to values.
    @discardableResult
    public func streamDecodableEvents<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, on queue: DispatchQueue? = nil,
        using decoder: any DataDecoder = JSONDecoder(),
        handler: @escaping @Sendable (Event<Value, ClientError>) -> Void
    ) -> Self {
        hear(
            events(of: type, decoder: decoder, automaticallyCancelling: false), on: queue, handler)
    }

    /// Closes the WebSocket without waiting for the server; at most 123 bytes of `reason` are sent.
    @discardableResult
    public func close(sending code: CloseCode, reason: Data? = nil) -> Self {
        let text = String(decoding: reason ?? Data(), as: UTF8.self)
        Task { try? await close(with: code, reason: text) }
        return self
    }

    private func hear<Element: Sendable>(
        _ events: WebSocketSequence<Element, Never>, on queue: DispatchQueue?,
        _ handler: @escaping @Sendable (Element) -> Void
    ) -> Self {
        Task {
            for await event in events { try? await queue.run { handler(event) } }
        }
        return self
    }
}
