import ProxydCaptureModel
import ProxydHTTPModel
import Testing

/// What is said of a response whose body did not arrive completely.
struct CutBodyTests {
    private func exchange(
        _ failure: ExchangeFailure?, status: Int = 200, method: HTTPMethod = .get,
        fields: [(name: String, value: String)] = [("Content-Length", "1000")],
        byteCount: Int64 = 7
    ) -> Exchange {
        Exchange(
            id: ExchangeID(rawValue: 1), state: failure == nil ? .complete : .failed,
            request: Request(
                url: nil,
                head: RequestHead(method: method, target: Array("/".utf8), fields: .init())),
            response: Response(
                head: ResponseHead(status: status, reason: "", fields: HeaderFields(fields)),
                body: Body(byteCount: byteCount, kept: [])),
            timeline: Timeline(wallStart: 0, start: 0), failure: failure)
    }

    private static let closed = ExchangeFailure(
        origin: .upstream, kind: .closedEarly, message: "it closed")

    @Test(
        arguments: [
            (closed, "the server closed"),
            (.init(origin: .client, kind: .closedEarly, message: "m"), "the client closed"),
            (.init(origin: .upstream, kind: .timedOut, message: "m"), "the server stopped sending"),
            (.init(origin: .rule, kind: .blocked, message: "no ads"), "the rule no ads"),
            (.init(origin: .proxy, kind: .shutdown, message: "m"), "the proxy was stopped"),
            (.init(origin: .upstream, kind: .connectFailed, message: "no route"), "no route"),
        ] as [(ExchangeFailure, String)])
    func `the note on an incomplete response body names the cause of the failure`(
        failure: ExchangeFailure, words: String
    ) {
        #expect(exchange(failure).cutBodyText == "7 of 1000 bytes arrived: \(words)")
    }

    @Test
    func `the note on an incomplete body of unknown length has only the number of bytes received`()
    {
        let chunked: [(name: String, value: String)] = [
            ("Transfer-Encoding", "chunked"), ("Content-Length", "1000"),
        ]
        let one = exchange(Self.closed, fields: chunked, byteCount: 1)
        #expect(one.cutBodyText == "incomplete, 1 byte arrived: the server closed")
        let none = exchange(Self.closed, fields: [], byteCount: 0)
        #expect(none.cutBodyText == "incomplete, 0 bytes arrived: the server closed")
    }

    @Test(arguments: [100, 101, 103, 204, 304])
    func `a response whose status allows no body is never reported as truncated`(status: Int) {
        #expect(exchange(Self.closed, status: status).cutBodyText == nil)
    }

    @Test(arguments: [HTTPMethod.head, .connect])
    func `a response to HEAD or CONNECT is never reported as having a truncated body`(
        method: HTTPMethod
    ) {
        #expect(exchange(Self.closed, method: method).cutBodyText == nil)
    }

    @Test
    func `a complete body is not reported as truncated, even if the exchange failed afterwards`() {
        #expect(exchange(Self.closed, byteCount: 1_000).cutBodyText == nil)
        #expect(exchange(nil).cutBodyText == nil)
    }
}
