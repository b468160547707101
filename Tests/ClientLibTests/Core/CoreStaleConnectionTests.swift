import ClientLib
import ProxydClientTestSupport
import Testing

/// Kept-alive connections that are dead when they are used again.
struct CoreStaleConnectionTests {
    /// Answers; but drops the connection of the second request without a word.
    private func server() throws -> ScriptedServer {
        try ScriptedServer {
            $0.number == 2 ? [.reset] : ScriptedServer.response(200, "\($0.body.count)")
        }
    }

    private func second(
        _ method: HTTPMethod, _ body: HTTPBody, to server: ScriptedServer
    ) async throws -> DataResponse<String> {
        let session = Session()
        _ = try await session.request(server.url).serializingData().value
        return await session.request(server.url, method: method, body: body)
            .serializingString().response
    }

    @Test
    func `a PUT that fails on a stale connection is resent with its body over a new connection`()
        async throws
    {
        let stream = BodyStream(byteCount: 6, isReplayable: true) {
            Pieces([[1, 2, 3], [4, 5, 6]])
        }
        for body in [HTTPBody.bytes([1, 2, 3, 4, 5, 6]), .stream(stream)] {
            let server = try server()
            let response = try await second(.put, body, to: server)
            #expect(try response.result.get() == "6")
            #expect(server.received.map(\.connection) == [1, 1, 2])
            #expect(server.received.last?.body == [1, 2, 3, 4, 5, 6])
            #expect(response.exchanges.count == 1)
        }
    }

    @Test func `a GET that fails on a stale connection is sent again`() async throws {
        let server = try server()
        #expect(try await second(.get, .none, to: server).result.get() == "0")
        #expect(server.received.count == 3)
    }

    @Test func `a POST that fails on a stale connection is not sent again`() async throws {
        let server = try server()
        let error = try await second(.post, .bytes([1]), to: server).error
        #expect(error?.kind == .network(.closedEarly))
        #expect(error?.phase == .wait)
        #expect(server.received.count == 2)
    }

    @Test
    func `a PUT that fails on a stale connection is not resent if its body can be read only once`()
        async throws
    {
        let server = try server()
        let stream = BodyStream(byteCount: 1, isReplayable: false) { Pieces([[1]]) }
        let error = try await second(.put, .stream(stream), to: server).error
        #expect(error?.kind == .network(.closedEarly))
        #expect(server.received.count == 2)
    }

    @Test func `a request that fails on a new connection is not sent again`() async throws {
        let server = try ScriptedServer { _ in [.reset] }
        let session = Session()
        let error = await session.request(server.url, method: .put, body: .bytes([1]))
            .serializingData().response.error
        #expect(error?.kind == .network(.closedEarly))
        #expect(server.received.count == 1)
    }
}
