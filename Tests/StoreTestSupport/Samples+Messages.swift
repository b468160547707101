public import ProxydHTTPModel

/// Exchanges that have messages.
extension Samples {
    /// A text message to the server.
    public static func message(_ position: Int64, _ text: String) -> MessageRecord {
        message(position, .text, .toServer, text)
    }

    /// A message of a kind, with a text.
    public static func message(
        _ position: Int64, _ kind: MessageRecord.Kind, _ direction: MessageRecord.Direction,
        _ text: String
    ) -> MessageRecord {
        message(position, kind, direction, bytes: Array(text.utf8))
    }

    /// A message of a kind, sent a microsecond after the one before it.
    public static func message(
        _ position: Int64, _ kind: MessageRecord.Kind, _ direction: MessageRecord.Direction,
        bytes: [UInt8]
    ) -> MessageRecord {
        MessageRecord(
            position: position, direction: direction, kind: kind, offsetNs: position * 1_000,
            byteCount: Int64(bytes.count), content: .bytes(bytes))
    }

    /// A WebSocket that has ended.
    public static func socket(
        _ id: ExchangeID, _ messages: [MessageRecord], state: ExchangeState = .complete
    ) -> ExchangeUpdate {
        var update = complete(id, "/socket", responseBody: [])
        update.state = state
        update.responseHead = responseHead(101, "Switching Protocols", fields: [])
        update.upgradedTo = "websocket"
        update.messages = messages
        return update
    }

    /// An event stream whose events are parts of the body, the content-coding undone.
    public static func stream(
        _ id: ExchangeID, _ events: [String], coding: ([UInt8]) -> [UInt8] = { $0 },
        isCoded: Bool = false
    ) -> ExchangeUpdate {
        var update = complete(id, "/events")
        update.responseHead = responseHead(
            fields: [("Content-Type", "text/event-stream")]
                + (isCoded ? [("Content-Encoding", "gzip")] : []))
        update.responseBody.set(coding(Array(events.joined().utf8)))
        var start: Int64 = 0
        for (index, event) in events.enumerated() {
            let count = Int64(event.utf8.count)
            update.messages.append(
                MessageRecord(
                    position: Int64(index), direction: .toClient, kind: .event, byteCount: count,
                    content: .body(start..<start + count)))
            start += count
        }
        return update
    }
}
