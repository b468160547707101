import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

/// Which captures answer requests, and with what.
struct MockCaptureTests {
    private static let request = "GET http://a.test/x HTTP/1.1\nHost: a.test\n\n"
    private static let response = """
        HTTP/1.1 203 Fine
        Date: Mon, 23 Nov 2026 10:00:00 GMT
        Content-Length: 2
        Content-Type: text/plain

        ok
        """

    /// Why a capture answers nothing; nil where it does.
    private func objection(_ change: (inout Exchange) -> Void) throws -> MockCapture.Objection? {
        var exchange = try Exchange.captured(Self.request, Self.response)
        change(&exchange)
        do throws(MockCapture.Objection) {
            _ = try MockCapture(exchange)
            return nil
        } catch {
            return error
        }
    }

    @Test func `only complete exchanges can be used as captures for mocks`() throws {
        #expect(try objection { _ in } == nil)
        #expect(try objection { $0.state = .failed } == .unfinished)
        #expect(try objection { $0.state = .active } == .unfinished)
        #expect(try objection { $0.response = nil } == .unfinished)
        #expect(try objection { $0.request.head = nil } == .unfinished)
        #expect(try objection { $0.state = .tunnel } == .switched)
        #expect(try objection { $0.upgradedTo = "websocket" } == .switched)
        #expect(try objection { $0.request.body.byteCount = 9 } == .requestCut)
        #expect(try objection { $0.response?.body.byteCount = 9 } == .responseCut)
        #expect(try objection { $0.response?.body.isAbandoned = true } == .responseCut)
    }

    @Test(
        arguments: [
            ("changed", nil, false), ("answered", nil, true), ("blocked", nil, true),
            ("held", "changed", false), ("held", "timed out, dropped", true),
            ("held", "answered", true),
        ] as [(String, String?, Bool)])
    func `mocks recognise exchanges that a rule or a person answered instead of the server`(
        outcome: String, detail: String?, isOfRule: Bool
    ) throws {
        for phase in [AppliedRule.Phase.request, .response] {
            var exchange = try Exchange.captured(Self.request, Self.response)
            #expect(!MockCapture.isOfRule(exchange))
            exchange.appliedRules = [
                AppliedRule(rule: "r", phase: phase, outcome: outcome, detail: detail)
            ]
            #expect(MockCapture.isOfRule(exchange) == isOfRule)
        }
    }

    @Test func `content codings are removed before a mock compares request bodies`() throws {
        let coded = try ContentEncoder.encode("[1]".utf8.span, as: .gzip)
        var exchange = try Exchange.captured(
            "POST http://a.test/x HTTP/1.1\nHost: a.test\nContent-Type: application/json\n"
                + "Content-Encoding: gzip\n\n", Self.response)
        exchange.request.body = Body(coded)
        var table = MockTable(try MockMatching())
        table.add(try MockCapture(exchange).request, id: 1)
        let plain = MockRequest.of(
            "POST", "http://a.test/x", type: "application/json", body: "[1.0]")
        #expect(table.answer(to: plain) == .capture(1))
    }

    @Test func `a mock serves a captured response as it was recorded`() throws {
        let exchange = try Exchange.captured(Self.request, Self.response)
        let answer = try #require(RuleAnswer(exchange, isRefreshed: false, nowNs: 1 << 60))
        #expect(answer.head.statusLineText == "HTTP/1.1 203 Fine")
        #expect(answer.fields.description == exchange.response?.head.fields.description)
        #expect(answer.body == Array("ok".utf8))
        #expect(answer.trailers == nil)
        var unanswered = exchange
        unanswered.response = nil
        #expect(RuleAnswer(unanswered, isRefreshed: false, nowNs: 0) == nil)
    }

    @Test
    func `a refreshed captured response has its Date advanced by the time since the recording`()
        throws
    {
        let exchange = try Exchange.captured(Self.request, Self.response)
        let day: Int64 = 86_400_000_000_000
        let answer = try #require(RuleAnswer(exchange, isRefreshed: true, nowNs: day))
        #expect(answer.fields["Date"] == "Tue, 24 Nov 2026 10:00:00 GMT")
    }

    @Test
    func `a mock keeps a capture's chunked coding and trailers, but sends no trailers for HEAD`()
        throws
    {
        let chunked = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nabc"
        var exchange = try Exchange.captured(Self.request, chunked)
        #expect(RuleAnswer(exchange, isRefreshed: false, nowNs: 0)?.trailers == HeaderFields())
        exchange.response?.trailers = HeaderFields([("X-Sum", "1")])
        #expect(
            RuleAnswer(exchange, isRefreshed: false, nowNs: 0)?.trailers
                == HeaderFields([("X-Sum", "1")]))
        let head = try Exchange.captured(
            Self.request.replacing("GET", with: "HEAD"),
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n")
        #expect(RuleAnswer(head, isRefreshed: false, nowNs: 0)?.trailers == nil)
    }

    @Test
    func `a capture's timing has the wait for the first response byte and the time for the body`()
        throws
    {
        var timeline = Timeline(wallStart: 0, start: 0)
        #expect(MockTiming(timeline).firstByteNs == 0)
        timeline[.requestLastByte] = 100
        timeline[.sendStart] = 150
        timeline[.responseFirstByte] = 400
        timeline[.responseLastByte] = 1_000
        #expect(MockTiming(timeline).firstByteNs == 300)
        #expect(MockTiming(timeline).bodyNs == 600)
        timeline[.requestLastByte] = nil
        #expect(MockTiming(timeline).firstByteNs == 250)
        timeline[.responseLastByte] = .max
        #expect(MockTiming(timeline).bodyNs == 600_000_000_000)
    }
}

extension Exchange {
    /// A capture of a request and a response, both as they were on the wire.
    static func captured(
        _ requestText: String, _ responseText: String?
    ) throws -> Exchange {
        let (requestHead, requestBody) = halves(requestText)
        let head = try HeadParser.parseRequestHead(requestHead)
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        let response = try responseText.map { text in
            let (head, body) = halves(text)
            return Response(head: try HeadParser.parseResponseHead(head), body: Body(body))
        }
        return Exchange(
            id: ExchangeID(rawValue: 1), state: .complete,
            request: Request(url: url, head: head, body: Body(requestBody)), response: response,
            timeline: Timeline(wallStart: 0, start: 0))
    }

    private static func halves(_ text: String) -> (head: [UInt8], body: [UInt8]) {
        let parts = text.replacing("\n", with: "\r\n").split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        return (Array("\(parts[0])\r\n\r\n".utf8), Array((parts.dropFirst().first ?? "").utf8))
    }
}
