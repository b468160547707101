import ProxydConfigurationText
import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

struct HeldMessageTests {
    private let client = HoldClient(rawValue: 1)

    /// What a held message becomes with another head and body, as it is sent.
    private func edited(
        _ message: HeldMessage, head: String? = nil, body: String? = nil, actions: [String] = []
    ) throws -> (request: ForwardedRequest?, response: ForwardedResponse?, body: [UInt8]?) {
        var ledger = HoldLedger()
        ledger.subscribe(client)
        let id = try ledger.hold(message, now: 0, wallNow: 0)
        if let head { try ledger.write(.head, of: id, at: 0, Array(head.utf8), by: client) }
        if let body { try ledger.write(.body, of: id, at: 0, Array(body.utf8), by: client) }
        let content = try ledger.draft(id, by: client).content(isEdited: true, actions: actions)
        switch content {
        case .request(let request, .whole(let bytes))?: return (request, nil, bytes)
        case .response(let response, .whole(let bytes), _)?: return (nil, response, bytes)
        case .request(let request, _)?: return (request, nil, nil)
        case .response(let response, _, _)?: return (nil, response, nil)
        case nil: return (nil, nil, nil)
        }
    }

    private func wire(_ request: ForwardedRequest?) throws -> String {
        var head: [UInt8] = []
        HTTP1HeadWriter.write(try #require(request), into: &head)
        return String(decoding: head, as: UTF8.self)
    }

    private let post =
        "POST http://a.test/pay?x=1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\na=1"

    @Test func `an editor of a held request gets the whole URL and the fields as received`() throws
    {
        let message = try HeldExchange.request(post)
        #expect(
            message.headText
                == Array(
                    ("POST http://a.test/pay?x=1 HTTP/1.1\r\nHost: a.test\r\n"
                        + "Content-Length: 3\r\n\r\n").utf8))
        #expect(message.bodyContent == Array("a=1".utf8))
    }

    @Test func `a held request whose head is not changed is sent with the same bytes`() throws {
        let message = try HeldExchange.request(post)
        let text = String(decoding: message.headText, as: UTF8.self)
        let (request, _, _) = try edited(message, head: text.replacing("\r\n", with: "\n"))
        #expect(
            try wire(request)
                == "POST /pay?x=1 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\n")
    }

    @Test func `editing the URL of a held request changes Host, too, unless Host is edited`() throws
    {
        let message = try HeldExchange.request(post)
        let moved = try edited(
            message, head: "POST http://b.test:81/ HTTP/1.1\nHost: a.test\n\n"
        ).request
        #expect(try wire(moved).contains("\r\nHost: b.test:81\r\n"))
        let named = try edited(
            message, head: "POST http://b.test:81/ HTTP/1.1\nHost: c.test\n\n"
        ).request
        #expect(try wire(named).contains("\r\nHost: c.test\r\n"))
        let path = try edited(message, head: "GET /q HTTP/1.1\nHost: a.test\n\n").request
        #expect(path?.url.description == "http://a.test/q")
        #expect(try wire(path).hasPrefix("GET /q HTTP/1.1\r\nHost: a.test\r\n"))
    }

    @Test(arguments: [
        "garbage\n\n", "GET ftp://a.test/ HTTP/1.1\nHost: a\n\n", "CONNECT a.test:1 HTTP/1.1\n\n",
        "GET http://a.test/ HTTP/1.1\nbad line\n\n", "",
        "GET http://a.test/ HTTP/1.1\nHost: evil/x y\n\n",
    ])
    func `invalid text is rejected as the head of a held request`(text: String) throws {
        let message = try HeldExchange.request(post)
        #expect(throws: HoldRefusal.self) { _ = try edited(message, head: text) }
    }

    @Test func `a held body is decoded for editing and encoded again afterwards`() throws {
        let coded = try ContentEncoder.encode(Array("before".utf8).span, as: .gzip)
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        let message = try HeldExchange.response(head, body: .whole(coded))
        #expect(message.bodyContent == Array("before".utf8))
        let (_, response, body) = try edited(message, body: "after")
        #expect(response?.head.fields["Content-Encoding"] == "gzip")
        let bytes = try #require(body)
        let decoded = ContentDecoder.decode(
            bytes.span, contentEncoding: "gzip", limits: DecodingLimits())
        #expect(decoded.bytes == Array("after".utf8))
        // Without the coding in the head the content goes as it is.
        let plain = try edited(message, head: "HTTP/1.1 200 OK\nX-A: b\n\n")
        #expect(plain.body == Array("before".utf8))
    }

    @Test func `a held body that is not in its declared content coding is edited as it is`() throws
    {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n"
        let message = try HeldExchange.response(head, body: .whole(Array("before".utf8)))
        #expect(message.bodyContent == Array("before".utf8))
        let (_, response, body) = try edited(message, body: "after")
        #expect(response?.head.fields["Content-Encoding"] == "gzip")
        #expect(body == Array("after".utf8))
    }

    @Test func `a held body in the aws-chunked coding cannot be edited`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: aws-chunked\r\n\r\n"
        let message = try HeldExchange.response(
            head, body: .whole(Array("1\r\na\r\n0\r\n\r\n".utf8)))
        #expect(message.bodyContent == Array("a".utf8))
        #expect(throws: HoldRefusal.self) { _ = try edited(message, body: "b") }
    }

    @Test func `if only the head of a message is held, the body cannot be edited`() throws {
        let message = try HeldExchange.response(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", body: .endless)
        #expect(message.bodyContent == nil && message.bodyByteCount == nil)
        #expect(throws: HoldRefusal.bodyNotHeld) { _ = try edited(message, body: "x") }
        let (_, response, _) = try edited(message, head: "HTTP/1.1 503 No\nX-A: b\n\n")
        #expect(response?.head.status == 503 && response?.head.reason == "No")
    }

    @Test func `edits that make the head of a held message too large are rejected`() throws {
        let message = try HeldExchange.request(post)
        let value = String(repeating: "a", count: 60_000)
        let actions = (0..<5).map { "set header:X-\($0)=\(value)" }
        #expect(throws: HoldRefusal.tooLarge) { _ = try edited(message, actions: actions) }
    }

    @Test
    func `rule actions can edit a held message, and actions that do not apply to it are rejected`()
        throws
    {
        let message = try HeldExchange.request(
            "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 8\r\n"
                + "Content-Type: application/json\r\n\r\n{\"a\": 1}")
        let (request, _, body) = try edited(
            message, actions: ["set json:a=2", "set header:X-A=1", "{ remove = \"query:x\" }"])
        #expect(body == Array("{\"a\": 2}".utf8))
        #expect(request?.head.fields["X-A"] == "1")
        for wrong in ["set form:a=1", "block 403", "set status=200", "sett x=1"] {
            #expect(throws: HoldRefusal.self, "\(wrong)") {
                _ = try edited(message, actions: [wrong])
            }
        }
    }
}

/// Messages that a rule holds.
enum HeldExchange {
    /// The request of a text that a rule named `r` holds.
    /// - Parameters:
    ///   - options: Options beside `hold`.
    ///   - known: What is known of its body; nil: that of the text.
    static func request(
        _ text: String, _ options: String = "", body known: RuledBody? = nil
    ) throws -> HeldMessage {
        var run = try run("request", options)
        let (head, length, body) = try WireReader.request(Array(text.utf8))
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        let message = ForwardedRequest(head: head, url: url, body: length)
        let held = known ?? .whole(body)
        let step = run.request(message, body: held)
        guard case .decided(let decision) = step else { throw RuleExchange.NotARequest() }
        return try #require(
            run.held(decision, body: held, to: message, of: ExchangeID(rawValue: 7)))
    }

    /// A response that a rule named `r` holds, with what is known of its body; nil: that of the
    /// text.
    static func response(_ text: String, body known: RuledBody? = nil) throws -> HeldMessage {
        var run = try run("response", "")
        let (head, length, bytes) = try WireReader.response(Array(text.utf8), to: .get)
        let asking = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
        let request = try WireReader.request(Array(asking.utf8))
        guard case .forward(let url) = try EffectiveTarget.resolve(request.0, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        let asked = ForwardedRequest(head: request.0, url: url, body: .none)
        _ = run.request(asked, body: .whole([]))
        let message = ForwardedResponse(head: head, body: length)
        let body = known ?? .whole(bytes)
        guard case .decided(let decision) = run.response(message, to: .get, body: body) else {
            throw RuleExchange.NotARequest()
        }
        return try #require(
            run.held(decision, body: body, to: asked, of: ExchangeID(rawValue: 7)))
    }

    private static func run(_ phase: String, _ options: String) throws -> RuleRun {
        let text = "[[rule]]\nname = \"r\"\n\(phase) = [{ hold = true\(options) }]\n"
        let rules = try RulesFile.read(text, file: "rules.toml", now: 0)
        let connection = RuledConnection(
            client: "127.0.0.1:5000", process: "curl", host: "a.test", port: 80, scheme: "http",
            startedAtNs: 0)
        var run = RuleRun(rules, connection, usage: CountedUsage(rules))
        run.isHoldingPossible = true
        return run
    }
}
