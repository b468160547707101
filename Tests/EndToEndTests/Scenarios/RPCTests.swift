import Foundation
import Testing

/// Calls of gRPC between a client and a server made with grpcio, checked byte for byte in the
/// store: with prior knowledge inside CONNECT, and over TLS that is intercepted.
@Suite(.enabled(if: RPCServer.isAvailable, "grpcio is installed"))
struct RPCTests {
    private static let compressed = 1

    @Test(arguments: [false, true])
    func `gRPC calls of every kind are stored as they were sent and received`(isSecure: Bool) throws
    {
        let (server, proxy) = try begin(isSecure)
        let calls = try server.run("ask", through: proxy)
        let expected = [0, 0, 0, 0, 0, 0, 0, 5, 10, 4, 1]
        #expect(calls.map(\.code) == expected)
        #expect(calls[7].details == "nicht da: ü % \n")
        let rows = try proxy.rows("path:Calls", count: calls.count)
        try #require(rows.count == calls.count)
        for (row, call) in zip(rows, calls) {
            #expect(row.text("protocol") == "grpc")
            #expect(row.text("path") == "/proxyd.test.Calls/\(call.method)")
            #expect(row.int("messages") == call.sent.count + call.got.count)
            // What ended because the client gave up has no status. The deadline is also the
            // server's, whose status may come first.
            let status = row.int("grpc_status")
            let isGivenUp = call.code == 1 || (call.code == 4 && status == nil)
            #expect(status == (isGivenUp ? nil : call.code))
            #expect(row.text("state") == (status == nil ? "failed" : "complete"))
            let stored = try StoredMessageRanges(proxy, row)
            #expect(stored.messages.allSatisfy { $0.kind == 16 && $0.problem == nil })
            let isCompressed = stored.messages.map { $0.flags & Self.compressed != 0 }
            #expect(Set(isCompressed) == [call.sent == calls[3].sent])
            #expect(stored.messages.allSatisfy { $0.flags & ~Self.compressed == 0 })
            #expect(try stored.sent.map(plain) == call.sent)
            #expect(try stored.got.map(plain) == call.got)
        }
    }

    @Test(arguments: [false, true])
    func `gRPC messages of both directions are stored while the call is still open`(isSecure: Bool)
        throws
    {
        let (server, proxy) = try begin(isSecure)
        let client = try server.start("chat", through: proxy)
        #expect(try client.readLine() == "open")
        let row = try proxy.rows("path:Chat", count: 1, final: false)[0]
        let running = try proxy.messages(of: row, count: 4)
        #expect(try proxy.rows("path:Chat", count: 1, final: false)[0].text("state") == "active")
        #expect(
            running.map { $0.text("direction") }.sorted { $0 ?? "" < $1 ?? "" }
                == ["to_client", "to_client", "to_server", "to_server"])
        #expect(running.map { $0.int("bytes") ?? 0 }.sorted() == [10, 10, 20, 20])
        try client.endInput()
        let call = try RPCCall(try client.readLine())
        #expect(call.code == 0)
        let stored = try StoredMessageRanges(proxy, try proxy.row("path:Chat"))
        #expect(stored.sent == call.sent && stored.got == call.got)
    }

    @Test(arguments: [false, true])
    func `two hundred concurrent gRPC calls are each stored completely`(isSecure: Bool) throws {
        let (server, proxy) = try begin(isSecure)
        let calls = try server.run("crowd", through: proxy)
        let rows = try proxy.rows("path:Echo", count: 200)
        #expect(rows.count == 200 && calls.count == 200)
        #expect(rows.allSatisfy { $0.int("grpc_status") == 0 && $0.int("messages") == 2 })
        let stored: [[Data]] = try rows.map { row in
            let ranges = try StoredMessageRanges(proxy, row)
            return ranges.sent + ranges.got
        }
        let made: [[Data]] = calls.map { $0.sent + $0.got }
        #expect(Set(stored) == Set(made))
    }

    @Test(arguments: [false, true])
    func `thousands of small gRPC calls and messages through the proxy all get responses`(
        isSecure: Bool
    ) throws {
        let (server, proxy) = try begin(isSecure)
        let answered = try server.countMany(through: proxy)
        #expect(answered == ["calls": 2_500, "answers": 2_500])
        let row = try proxy.row("path:Chat")
        #expect(row.text("state") == "complete" && row.int("messages") == 5_000)
    }

    private func begin(_ isSecure: Bool) throws -> (RPCServer, Daemon) {
        let certificate = isSecure ? try TestCertificate() : nil
        return (try RPCServer(certificate), try Daemon(trusting: certificate))
    }

    /// A message with its compression undone, by Python's word.
    private func plain(_ message: Data) throws -> Data {
        guard message.starts(with: [0x1F, 0x8B]) else { return message }
        let program =
            "import gzip,sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))"
        return try Tool.run("python3", ["-c", program], input: message).output
    }
}

/// The messages of one exchange as the store has them: where they are in its bodies.
struct StoredMessageRanges {
    struct Message {
        let isToServer: Bool
        let kind: Int
        let flags: Int
        let problem: String?
        let bytes: Data
    }

    let messages: [Message]

    init(_ proxy: Daemon, _ row: Row) throws {
        let id = String(row.int("id") ?? 0)
        let bodies = try ["request", "response"].map {
            try proxy.proxyctl(["show", id, "--body", "--part", $0]).output
        }
        let rows = try proxy.proxyctl([
            "sql", "--json",
            """
            SELECT direction, kind, flags, problem, bytes, body_offset FROM message \
            WHERE key >> 28 = \(id) ORDER BY key
            """,
        ])
        messages = try rows.text.split(separator: "\n").map { line in
            let row = try Row(json: String(line))
            let isToServer = row.int("direction") == 0
            let body = bodies[isToServer ? 0 : 1]
            let start = row.int("body_offset") ?? 0
            return Message(
                isToServer: isToServer, kind: row.int("kind") ?? 0, flags: row.int("flags") ?? 0,
                problem: row.text("problem"),
                bytes: Data(body.dropFirst(start).prefix(row.int("bytes") ?? 0)))
        }
    }

    var sent: [Data] { messages.filter(\.isToServer).map(\.bytes) }
    var got: [Data] { messages.filter { !$0.isToServer }.map(\.bytes) }
}
