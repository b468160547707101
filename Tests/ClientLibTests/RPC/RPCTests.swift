import ClientLib
import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RPCTests {
    private func framed(_ messages: [[UInt8]], flags: UInt8 = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        for message in messages {
            _ = MessagePrefix.write(message.span, flags: flags, into: &bytes)
        }
        return bytes
    }

    private func server(
        _ messages: [[UInt8]], flags: UInt8 = 0, fields: [(String, String)] = [],
        trailers: [(String, String)] = [("grpc-status", "0")]
    ) throws -> HTTP2TestServer {
        let body = framed(messages, flags: flags)
        return try HTTP2TestServer { _ in
            .response(
                200, [("content-type", "application/grpc")] + fields, body, trailers: trailers)
        }
    }

    @Test func `a gRPC call sends its message and returns the response and the status`()
        async throws
    {
        let server = try server([[9, 8]], trailers: [("grpc-status", "0"), ("x-cost", "3")])
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let call = session.rpc(
            server.url() + "/greet.Greeter/Hello", message: [1, 2, 3],
            headers: ["x-user": "me"], timeout: .milliseconds(90_000))
        #expect(try await call.response() == [9, 8])
        #expect(call.status?.isOK == true)
        #expect(call.trailers?["x-cost"] == "3")
        let sent = try #require(server.received.first)
        #expect(sent.body == framed([[1, 2, 3]]))
        #expect(sent.head.fields["content-type"] == "application/grpc")
        #expect(sent.head.fields["te"] == "trailers")
        #expect(sent.head.fields["grpc-timeout"] == "90000000u")
        #expect(sent.head.fields["x-user"] == "me")
        let messages = sink.updates.flatMap(\.messages)
        #expect(messages.map(\.kind) == [.grpc, .grpc])
        #expect(messages.map(\.direction) == [.toServer, .toClient])
        #expect(messages.map(\.byteCount) == [3, 2])
    }

    @Test func `a gRPC call can stream several messages in both directions`() async throws {
        let server = try server([[1], [], [2, 2]])
        let (requests, send) = AsyncStream.makeStream(of: [UInt8].self)
        let call = Session.default.rpc(server.url() + "/a.B/C", messages: requests)
        send.yield([5])
        send.yield([])
        send.finish()
        var answers: [[UInt8]] = []
        for try await answer in call.responses { answers.append(answer) }
        #expect(answers == [[1], [], [2, 2]])
        #expect(server.received.first?.body == framed([[5], []]))
    }

    @Test func `a gRPC status other than OK is an error with the decoded status message`()
        async throws
    {
        let server = try server(
            [[1]], trailers: [("grpc-status", "5"), ("grpc-message", "no%20such%20thing")])
        let call = Session.default.rpc(server.url() + "/a.B/C", message: [])
        var answers: [[UInt8]] = []
        let error = await #expect(throws: ClientError.self) {
            for try await answer in call.responses { answers.append(answer) }
        }
        let status = RPCStatus(GRPCStatus(5), message: "no such thing")
        #expect(error?.kind == .rpcFailed(status))
        #expect(error?.message == "the call failed: NOT_FOUND")
        #expect(answers == [[1]])
        #expect(call.status == status)
    }

    @Test func `a gRPC status may be in the response head, and a missing status is an error`()
        async throws
    {
        let refused = try HTTP2TestServer { _ in
            .response(
                200, [("content-type", "application/grpc"), ("grpc-status", "16")], [],
                trailers: [])
        }
        let first = await #expect(throws: ClientError.self) {
            try await Session.default.rpc(refused.url() + "/a.B/C", message: []).response()
        }
        #expect(first?.kind == .rpcFailed(RPCStatus(GRPCStatus(16))))
        let silent = try server([[1]], trailers: [])
        let second = await #expect(throws: ClientError.self) {
            try await Session.default.rpc(silent.url() + "/a.B/C", message: []).response()
        }
        #expect(second?.kind == .rpcFailed(RPCStatus(GRPCStatus(2), message: "no status")))
    }

    @Test func `a compressed gRPC message is decompressed, up to the size limit`() async throws {
        let text = Array(String(repeating: "again ", count: 500).utf8)
        let compressed = try ContentEncoder.encode(text.span, as: .gzip)
        let server = try server([compressed], flags: 1, fields: [("grpc-encoding", "gzip")])
        let call = Session.default.rpc(server.url() + "/a.B/C", message: [])
        #expect(try await call.response() == text)
        let small = Session.default.rpc(
            server.url() + "/a.B/C", message: [], maximumMessageSize: 100)
        let error = await #expect(throws: ClientError.self) { try await small.response() }
        #expect(error?.kind == .messageTooLarge(limit: 100))
    }

    @Test func `a gRPC call fails if the response is not gRPC`() async throws {
        let server = try HTTP2TestServer { _ in .text("hello") }
        let error = await #expect(throws: ClientError.self) {
            try await Session.default.rpc(server.url() + "/a.B/C", message: []).response()
        }
        guard case .responseValidationFailed(.unacceptableContentType)? = error?.kind else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func `a gRPC call ends at its deadline, or when it is cancelled`() async throws {
        let server = try HTTP2TestServer { _ in .later }
        let late = Session.default.rpc(
            server.url() + "/a.B/C", message: [], timeout: .milliseconds(1))
        let error = await #expect(throws: ClientError.self) { try await late.response() }
        #expect(error?.kind == .timedOut(.total))
        let call = Session.default.rpc(server.url() + "/a.B/C", message: [])
        call.cancel()
        let cancelled = await #expect(throws: ClientError.self) { try await call.response() }
        #expect(cancelled?.kind == .explicitlyCancelled)
    }
}
