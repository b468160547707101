import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport

/// Exchanges with a secret wherever one can be.
enum CanarySamples {
    static let secret = "canary7f3"

    /// 1: URL, heads, form. 2: JSON. 3: multipart. 4: trailers, failure, refused bytes, sent head
    /// and body, rules. 5: a malformed head. 6: text. 7: a binary body. 8: a WebSocket.
    /// 9: an event stream.
    static func record(_ recorder: Recorder) throws {
        try recorder.store([first, json, multipart, faulty, malformed, text, binary])
        for change in [
            AnnotationChange(id: ExchangeID(rawValue: 1), note: "password: \(secret)"),
            AnnotationChange(id: ExchangeID(rawValue: 2), addedTags: ["token=\(secret)"]),
        ] {
            _ = try recorder.wait { recorder.annotate(change, completion: $0) }
        }
        recorder.record(socket(recorder.nextExchangeID()))
        recorder.record(stream(recorder.nextExchangeID()))
    }

    private static var first: Exchange {
        var exchange = Exchange.sample(
            1, "/login?access_token=\(secret)&page=2", method: "POST",
            requestType: "application/x-www-form-urlencoded",
            requestBody: "user=bob&password=\(secret)")
        exchange.request.head = RequestHead(
            method: "POST", target: Array("/login?access_token=\(secret)&page=2".utf8),
            fields: HeaderFields([
                ("Host", "api.test"), ("Authorization", "Bearer \(secret)"),
                ("Cookie", "sid=\(secret); b=\(secret)"), ("X-Api-Key", secret),
                ("Token", secret), ("Client-Secret", secret), ("X-User-Token", secret),
                ("Link", "<https://:\(secret)@h/>"), ("X-Note", "Bearer  \(secret)"),
                ("Referer", "http://bob:\(secret)@api.test/?token=\(secret)"),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ]))
        exchange.response?.head = ResponseHead(
            status: 302, reason: "Found token=\(secret)",
            fields: HeaderFields([
                ("Set-Cookie", "sid=\(secret); Path=/"),
                ("Location", "http://api.test/?code=\(secret)&state=1"),
                ("Content-Type", "text/plain"),
            ]))
        return exchange
    }

    private static var json: Exchange {
        .sample(
            2, method: "POST", type: "application/json",
            body: #"{"token":"\#(secret)","list":[{"Name":"password","Value":"\#(secret)"}],"#
                + #""userPassword":"\#(secret)","aws_secret_access_key":"\#(secret)","#
                + #""pair":["password","\#(secret)"],"max_tokens":5,"#
                + #""query":"{ login(password: \"\"\"\#(secret)\"\"\") }","#
                + #""store":"redis://:\#(secret)@h/0"}"#,
            requestType: "application/json",
            requestBody: #"{"user":{"password":"\#(secret)","pin":["\#(secret)"]}}"#)
    }

    private static var multipart: Exchange {
        let body =
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.bin\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n\0\(secret)\r\n--b--\r\n"
        return .sample(
            3, method: "POST", requestType: "multipart/form-data; boundary=b", requestBody: body)
    }

    private static var faulty: Exchange {
        var exchange = Exchange.sample(4, body: "Authorization: Bearer \(secret)")
        exchange.state = .failed
        exchange.failure = ExchangeFailure(
            origin: .upstream, kind: .malformedResponse,
            message: "the server sent: token=\(secret)")
        exchange.responseFault = ResponseFault(
            refusal: ResponseFault.Refusal(
                bytes: Array("Set-Cookie: \(secret)".utf8), reason: "password=\(secret)"),
            repairs: ["token=\(secret)"])
        exchange.request.trailers = HeaderFields([("Authorization", "Basic \(secret)")])
        exchange.response?.trailers = HeaderFields([("X-Auth-Token", secret)])
        exchange.request.sentHead = RequestHead(
            method: "GET", target: Array("/?token=\(secret)".utf8),
            fields: HeaderFields([("X-Api-Key", secret)]))
        exchange.request.sentBody = Body(Array("password=\(secret)".utf8))
        exchange.appliedRules = [
            AppliedRule(
                rule: "key", phase: .request, outcome: "changed", detail: "token=\(secret)")
        ]
        return exchange
    }

    private static var malformed: Exchange {
        var exchange = Exchange.sample(5)
        exchange.request = Request(url: nil, head: nil, body: Body())
        exchange.state = .failed
        exchange.response = nil
        return exchange
    }

    private static var text: Exchange {
        .sample(
            6, type: "text/html",
            body: "<input name=x><token>\(secret)</token> Bearer \(secret) http://u:\(secret)@h/")
    }

    private static var binary: Exchange {
        .sample(7, type: "application/x-tar", body: "\0\u{1}\(secret)")
    }

    private static func update(_ id: ExchangeID, type: String) -> ExchangeUpdate {
        let sample = Exchange.sample(id.rawValue, type: type)
        var update = ExchangeUpdate(
            id: id, state: .complete, timeline: sample.timeline, isFirst: true)
        update.url = sample.request.url
        update.requestHead = sample.request.head
        update.responseHead = sample.response?.head
        return update
    }

    private static func socket(_ id: ExchangeID) -> ExchangeUpdate {
        var update = update(id, type: "text/plain")
        update.upgradedTo = "websocket"
        let texts = [#"{"token":"\#(secret)"}"#, "plain \(secret)", #"{"a":1}"#]
        update.messages = texts.enumerated().map { position, text in
            MessageRecord(
                position: Int64(position), direction: .toServer, kind: .text,
                byteCount: Int64(text.utf8.count), content: .bytes(Array(text.utf8)))
        }
        return update
    }

    private static func stream(_ id: ExchangeID) -> ExchangeUpdate {
        var update = update(id, type: "text/event-stream")
        let event = Array("data: {\"token\":\"\(secret)\"}\n\n".utf8)
        update.responseBody.appended = event
        update.responseBody.byteCount = Int64(event.count)
        update.responseBody.isComplete = true
        update.messages = [
            MessageRecord(
                position: 0, direction: .toClient, kind: .event, byteCount: Int64(event.count),
                content: .body(0..<Int64(event.count)))
        ]
        return update
    }
}
