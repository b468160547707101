import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

/// Servers that are asked before a body is sent.
struct CoreExpectationTests {
    private static let body = [UInt8](repeating: 0x62, count: 300_000)
    private static let continued = ScriptedServer.Step.text("HTTP/1.1 100 Continue\r\n\r\n")

    private func asking(
        _ server: ScriptedServer, _ body: HTTPBody = .bytes(body),
        wait: Duration = .seconds(3_600)
    ) throws -> HTTPRequest {
        var request = HTTPRequest(method: .post, url: try RawURL(server.url), body: body)
        request.expectsContinue = true
        request.timeouts = Timeouts(idle: .seconds(3_600))
        request.timeouts?.continueWait = wait
        return request
    }

    @Test func `a request with Expect 100-continue sends its body after the server's 100 response`()
        async throws
    {
        let server = try ScriptedServer(atHead: { _ in [Self.continued] }) {
            ScriptedServer.response(200, "\($0.body.count)")
        }
        let stream = BodyStream(byteCount: nil, isReplayable: true) { Pieces([Self.body]) }
        for body in [HTTPBody.bytes(Self.body), .stream(stream)] {
            let response = await Session.default.request(try asking(server, body))
                .serializingString().response
            #expect(try response.result.get() == "\(Self.body.count)")
            #expect(response.exchanges.first?.informational.map(\.status) == [100])
        }
        #expect(server.received.allSatisfy { $0.header("Expect") == "100-continue" })
    }

    @Test func `a body is not sent if the server answers Expect 100-continue with a 413`()
        async throws
    {
        let server = try ScriptedServer(answersAtHead: true) { _ in
            ScriptedServer.response(413, "too large")
        }
        let opened = Collector<Int>()
        let stream = BodyStream(byteCount: 5, isReplayable: false) {
            opened.add(1)
            return Pieces([[1, 2, 3, 4, 5]])
        }
        let response = await Session.default.request(try asking(server, .stream(stream)))
            .serializingString().response
        #expect(response.response?.status == 413)
        #expect(try response.result.get() == "too large")
        #expect(opened.count == 0)
        #expect(server.received.map(\.body) == [[]])
    }

    @Test
    func `the body is sent after a timeout if the server does not answer Expect 100-continue`()
        async throws
    {
        let server = try ScriptedServer { ScriptedServer.response(200, "\($0.body.count)") }
        let text = try await Session.default.request(
            try asking(server, wait: .milliseconds(1))
        ).serializingString().value
        #expect(text == "\(Self.body.count)")
    }

    @Test func `after a 417, the request is sent again without Expect`() async throws {
        let server = try ScriptedServer(
            atHead: {
                $0.header("Expect") == nil ? [] : ScriptedServer.response(417, "no") + [.close]
            },
            { ScriptedServer.response(200, "\($0.body.count)") })
        let stream = BodyStream(byteCount: 3, isReplayable: false) { Pieces([[1, 2, 3]]) }
        let response = await Session.default.request(try asking(server, .stream(stream)))
            .serializingString().response
        #expect(try response.result.get() == "3")
        #expect(response.exchanges.compactMap(\.response?.status) == [417, 200])
        #expect(server.received.map { $0.header("Expect") } == ["100-continue", nil])
    }

    @Test func `Expect 100-continue is used for bodies of unknown length or of a set minimum size`()
        async throws
    {
        let server = try ScriptedServer(
            atHead: { $0.header("Expect") == nil ? [] : [Self.continued] },
            { _ in ScriptedServer.response(200, "ok") })
        var configuration = SessionConfiguration()
        configuration.expectContinueByteCountMin = 1_000
        let session = Session(configuration: configuration)
        let unknown = BodyStream(byteCount: nil, isReplayable: true) { Pieces([[1]]) }
        let bodies: [HTTPBody] = [
            .bytes(Array(Self.body.prefix(999))), .bytes(Array(Self.body.prefix(1_000))),
            .stream(unknown), .none,
        ]
        for body in bodies {
            _ = try await session.request(server.url, method: .post, body: body)
                .serializingData().value
        }
        #expect(
            server.received.map { $0.header("Expect") } == [
                nil, "100-continue", "100-continue", nil,
            ])
    }
}

/// Pieces in memory as a body's source.
struct Pieces: BodySource {
    private var rest: ArraySlice<[UInt8]>

    init(_ pieces: [[UInt8]]) { rest = pieces[...] }

    mutating func next() -> [UInt8]? { rest.popFirst() }
}
