import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

/// Heads of held messages that someone has edited by hand.
struct HeldHeadTextTests {
    private let client = HoldClient(rawValue: 1)

    /// What a held message becomes with another head.
    private func edited(_ message: HeldMessage, _ head: String) throws -> HeldMessage.Content? {
        var ledger = HoldLedger()
        ledger.subscribe(client)
        let id = try ledger.hold(message, now: 0, wallNow: 0)
        try ledger.write(.head, of: id, at: 0, Array(head.utf8), by: client)
        return try ledger.draft(id, by: client).content(isEdited: true, actions: [])
    }

    private func request(_ message: HeldMessage, _ head: String) throws -> ForwardedRequest {
        guard case .request(let request, _)? = try edited(message, head) else {
            throw RuleExchange.NotARequest()
        }
        return request
    }

    private func wire(_ request: ForwardedRequest) -> String {
        var head: [UInt8] = []
        HTTP1HeadWriter.write(request, into: &head)
        return String(decoding: head, as: UTF8.self)
    }

    @Test func `a held OPTIONS * request is still sent as OPTIONS * after a header field is added`()
        throws
    {
        let message = try HeldExchange.request(
            "OPTIONS http://a.test HTTP/1.1\r\nHost: a.test\r\n\r\n")
        let text = String(decoding: message.headText, as: UTF8.self)
        #expect(text.hasPrefix("OPTIONS http://a.test HTTP/1.1\r\n"))
        let same = try request(message, text.replacing("\r\n\r\n", with: "\r\nX: 1\r\n\r\n"))
        #expect(wire(same) == "OPTIONS * HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n\r\n")
        let path = try request(message, text.replacing("a.test HTTP", with: "a.test/ HTTP"))
        #expect(wire(path).hasPrefix("OPTIONS / HTTP/1.1\r\n"))
    }

    @Test(arguments: ["\n", "\r\n", "\n\n\n", "\r\n\r\n\r\n", ""])
    func `the edited head of a held message may end with any number of line breaks`(_ end: String)
        throws
    {
        let message = try HeldExchange.request(
            "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        let changed = try request(message, "GET http://a.test/x HTTP/1.1\nHost: a.test\(end)")
        #expect(wire(changed) == "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n")
    }

    @Test func `the edited head of a held message is rejected if it has an empty line inside`()
        throws
    {
        let message = try HeldExchange.request(
            "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(throws: HoldRefusal.self) {
            _ = try request(message, "GET http://a.test/ HTTP/1.1\nHost: a.test\n\nX: 1\n")
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 199 OK\n\n", "a status is from 200 to 599"),
        ("HTTP/1.1 101 Switching Protocols\n\n", "a status is from 200 to 599"),
        ("HTTP/1.1 600 No\n\n", "a status is from 200 to 599"),
        ("HTTP/1.1 abc No\n\n", "the head: "), ("GET / HTTP/1.1\n\n", "the head: "),
        ("", "the head: "),
    ])
    func `the edited head of a held response is rejected if it is invalid or has a 1xx status`(
        _ head: String, _ reason: String
    ) throws {
        let message = try HeldExchange.response(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
        let refusal = #expect(throws: HoldRefusal.self) { _ = try edited(message, head) }
        #expect(refusal?.description.contains(reason) == true)
    }

    @Test
    func `a response written for a held request needs a head and loses its hop-by-hop fields`()
        throws
    {
        var ledger = HoldLedger()
        ledger.subscribe(client)
        let message = try HeldExchange.request(
            "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        let id = try ledger.hold(message, now: 0, wallNow: 0)
        try ledger.write(.body, of: id, at: 0, Array("x".utf8), by: client)
        #expect(throws: HoldRefusal.badEdit("an answer needs a head")) {
            _ = try ledger.draft(id, by: client).answer()
        }
        let head =
            "HTTP/1.1 503 Busy\nconnection: close\nTransfer-Encoding: chunked\nProxy-X: 1\n"
            + "Retry-After: 1\nKeep-Alive: 5\nretry-after: 2\n\n"
        try ledger.write(.head, of: id, at: 0, Array(head.utf8), by: client)
        let answer = try ledger.draft(id, by: client).answer()
        #expect(answer.status == 503 && answer.body == Array("x".utf8))
        #expect(answer.fields.pairs.map(\.value) == ["1", "2"])
    }

    @Test
    func `writing a held message's body must leave no gaps, and writing at offset 0 starts over`()
        throws
    {
        var ledger = HoldLedger()
        ledger.subscribe(client)
        let message = try HeldExchange.request(
            "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\na")
        let id = try ledger.hold(message, now: 0, wallNow: 0)
        try ledger.write(.body, of: id, at: 0, Array("abc".utf8), by: client)
        for offset in [-1, 1, 2, 4, Int.max] {
            #expect(throws: HoldRefusal.notInSequence) {
                try ledger.write(.body, of: id, at: offset, [0x78], by: client)
            }
        }
        try ledger.write(.body, of: id, at: 3, Array("d".utf8), by: client)
        try ledger.write(.body, of: id, at: 0, Array("e".utf8), by: client)
        try ledger.write(.body, of: id, at: 1, Array("f".utf8), by: client)
        let content = try ledger.draft(id, by: client).content(isEdited: true, actions: [])
        guard case .request(let request, .whole(let body))? = content else {
            throw RuleExchange.NotARequest()
        }
        #expect(body == Array("ef".utf8) && request.body == .exactly(2))
        ledger.discard(id, by: client)
        let left = try ledger.draft(id, by: client).content(isEdited: true, actions: [])
        #expect(left == nil)
    }
}
