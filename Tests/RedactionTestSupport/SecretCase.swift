public import ProxydHTTPModel

/// A piece of an exchange with something in it that must be hidden, or must stay.
public struct SecretCase: Sendable, CustomStringConvertible {
    /// Where in an exchange a text is.
    public enum Carrier: String, Sendable, CaseIterable {
        case query, form, multipart, json, header, cookie, path, events, webSocket, text, markup
        case script
    }

    /// Where it is.
    public let carrier: Carrier
    /// The text, in the form that the carrier needs: a query, a field line, a JSON text.
    public let text: String
    /// What must be hidden, or must stay.
    public let word: String

    /// Creates a case.
    public init(_ carrier: Carrier, _ text: String, word: String) {
        self.carrier = carrier
        self.text = text
        self.word = word
    }

    /// The carrier and the text.
    public var description: String { "\(carrier.rawValue): \(text)" }

    // MARK: As an exchange

    /// The case as a complete exchange.
    public func update(_ id: ExchangeID) -> ExchangeUpdate {
        var timeline = Timeline(wallStart: 1_763_712_000_000_000_000, start: 0)
        timeline[.requestHead] = 1_000
        timeline[.delivered] = 2_000
        var update = ExchangeUpdate(id: id, state: .complete, timeline: timeline, isFirst: true)
        let url = RawURL(
            scheme: "http", host: "corpus.test", port: 80, origin: Array(target.utf8))
        update.url = url
        var fields = [("Host", "corpus.test")]
        if let field { fields.append(field) }
        update.requestHead = RequestHead(
            method: isRequest ? "POST" : "GET", target: Array(target.utf8),
            fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
        var types = [("Content-Type", "text/plain")]
        if !isRequest, let type { types = [("Content-Type", type)] }
        update.responseHead = ResponseHead(
            status: carrier == .webSocket ? 101 : 200, reason: "OK",
            fields: HeaderFields(types.map { (name: $0.0, value: $0.1) }))
        take(Array(text.utf8), into: &update)
        return update
    }

    /// The same as a value; without its messages, if it is a WebSocket.
    public func exchange(_ id: ExchangeID) -> Exchange {
        let update = update(id)
        let request = Request(
            url: update.url, head: update.requestHead, body: Body(update.requestBody.appended))
        let response = update.responseHead.map {
            Response(head: $0, body: Body(update.responseBody.appended))
        }
        return Exchange(
            id: id, state: .complete, request: request, response: response,
            timeline: update.timeline)
    }

    private var target: String {
        switch carrier {
        case .query: "/p?a=1&\(text)&z=2"
        case .path: "/p\(text)"
        default: "/p"
        }
    }

    private var isRequest: Bool {
        switch carrier {
        case .form, .multipart: true
        default: false
        }
    }

    private var field: (String, String)? {
        switch carrier {
        case .header:
            let parts = text.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts.last?.drop { $0 == " " } ?? ""))
        case .cookie: return ("Cookie", text)
        case .form, .multipart: return type.map { ("Content-Type", $0) }
        default: return nil
        }
    }

    /// The media type of the body.
    private var type: String? {
        switch carrier {
        case .form: "application/x-www-form-urlencoded"
        case .multipart: "multipart/form-data; boundary=b0undary"
        case .json: "application/json"
        case .events: "text/event-stream"
        case .text: "text/plain"
        case .markup: "text/html"
        case .script: "text/javascript"
        case .query, .header, .cookie, .path, .webSocket: nil
        }
    }

    private func take(_ bytes: [UInt8], into update: inout ExchangeUpdate) {
        switch carrier {
        case .query, .header, .cookie, .path: break
        case .form, .multipart:
            update.requestBody = .whole(bytes)
        case .json, .events, .text, .markup, .script:
            update.responseBody = .whole(bytes)
        case .webSocket:
            update.upgradedTo = "websocket"
            update.messages = [
                MessageRecord(
                    position: 0, direction: .toServer, kind: .text,
                    byteCount: Int64(bytes.count), content: .bytes(bytes))
            ]
        }
    }
}

extension ExchangeUpdate.BodyProgress {
    fileprivate static func whole(_ bytes: [UInt8]) -> Self {
        var progress = Self()
        progress.appended = bytes
        progress.byteCount = Int64(bytes.count)
        progress.isComplete = true
        return progress
    }
}
