import ProxydCentralStore
import ProxydPostgresLink
import ProxydSystem
import ProxydTestSupport
import Testing

/// Where connections go, what is sent before the server is trusted, and how they fail.
@Suite struct PostgresConnectingTests {
    /// SSLRequest: its length and 80877103.
    private static let request: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]

    private func failure(_ uri: String, timeoutSeconds: Int = 30) throws -> CentralError? {
        let location = try PostgresLocation(uri)
        return #expect(throws: CentralError.self) {
            try PostgresConnection(location, program: "tests", timeoutSeconds: timeoutSeconds)
        }
    }

    /// What a failed connection says, which must be one line.
    private func message(_ error: CentralError?) -> String {
        guard case .connection(let message)? = error else {
            Issue.record("not a failed connection: \(String(describing: error))")
            return ""
        }
        let isOneLine = !message.contains { $0.isNewline }
        #expect(isOneLine)
        return message
    }

    // MARK: No server

    @Test func `connecting to a closed PostgreSQL port fails with an error that allows a retry`()
        throws
    {
        let port = try SilentPort()
        let error = try failure("postgresql://u@127.0.0.1:\(port.port)/d?sslmode=verify-full")
        #expect(message(error).contains("Connection refused"))
        #expect(error?.remedy == .wait)
    }

    @Test
    func `connecting to a directory without a PostgreSQL socket reports the socket's path`()
        throws
    {
        let folder = try ScratchFolder()
        let said = message(try failure("postgresql://u@/d?host=\(folder.path)"))
        #expect(said.contains("\(folder.path)/.s.PGSQL.5432"))
        #expect(said.contains("No such file or directory"))
    }

    @Test func `connecting to a PostgreSQL server that does not respond fails after the timeout`()
        throws
    {
        let folder = try ScratchFolder()
        let server = try FakeServer(in: folder)
        let error = try failure("postgresql://u@/d?host=\(folder.path)", timeoutSeconds: 1)
        #expect(error == .connection("the server did not answer within 1 s"))
        let came = server.serve()
        // A length, then version 3.0 of the protocol.
        #expect(Array(came.dropFirst(4).prefix(4)) == [0, 3, 0, 0])
        let text = String(decoding: came.dropFirst(8), as: UTF8.self)
        #expect(text.hasPrefix("user\0u\0database\0d\0"))
        #expect(text.contains("client_encoding\0UTF8\0"))
    }

    @Test func `connecting fails if the PostgreSQL server closes the connection`() throws {
        let folder = try ScratchFolder()
        let came = try FakeServer(in: folder).serveApart(hangsUp: true)
        let said = message(try failure("postgresql://u@/d?host=\(folder.path)"))
        #expect(!said.isEmpty)
        #expect(came.wait() == [])
    }

    @Test
    func `a PostgreSQL server's multi-line error about a refused connection becomes one line`()
        throws
    {
        let folder = try ScratchFolder()
        let refusal = FakeServer.message(
            "E",
            Array("SFATAL\0VFATAL\0C53300\0Mno room\0Dfirst line\nsecond line\0\0".utf8))
        let came = try FakeServer(in: folder).serveApart([refusal])
        let said = message(try failure("postgresql://u@/d?host=\(folder.path)"))
        #expect(said.hasSuffix("FATAL:  no room; DETAIL:  first line; second line"), "\(said)")
        #expect(!came.wait().isEmpty)
    }

    // MARK: Trust

    @Test(arguments: ["disable", "allow", "prefer", "require", "verify-ca"])
    func `over TCP, an sslmode other than verify-full is rejected before anything is sent`(
        mode: String
    ) throws {
        let server = try FakeServer()
        let error = try failure("postgresql://u@127.0.0.1:\(server.port)/d?sslmode=\(mode)")
        #expect(
            error
                == .location(
                    "over TCP only sslmode=verify-full is accepted, not \(mode): the server would "
                        + "not be verified"))
        #expect(server.serve() == [])
    }

    /// A host that looks local does not make the connection local.
    @Test(arguments: [
        "host=/nowhere&hostaddr=127.0.0.1", "host=/nowhere,127.0.0.1", "host=127.0.0.1,/nowhere",
        "host=localhost&hostaddr=127.0.0.1",
    ])
    func `a PostgreSQL URI with a socket directory and a TCP host still requires verify-full`(
        hosts: String
    ) throws {
        let server = try FakeServer()
        let error = try failure(
            "postgresql://u@/d?\(hosts)&port=\(server.port)&sslmode=disable")
        guard case .location(let message)? = error else {
            Issue.record("it was not refused: \(String(describing: error))")
            return
        }
        #expect(message.contains("verify-full"))
        #expect(server.serve() == [])
    }

    @Test(arguments: ["&sslmode=verify-full", ""])
    func `only an SSLRequest is sent over TCP before the PostgreSQL server has responded`(
        mode: String
    )
        throws
    {
        let server = try FakeServer()
        let uri = "postgresql://u@127.0.0.1:\(server.port)/d?gssencmode=disable\(mode)"
        let error = try failure(uri, timeoutSeconds: 1)
        #expect(error == .connection("the server did not answer within 1 s"))
        #expect(server.serve() == PostgresConnectingTests.request)
    }

    @Test func `a PostgreSQL server without TLS receives only an SSLRequest`() throws {
        let server = try FakeServer()
        let came = server.serveApart([Array("N".utf8)])
        let error = try failure(
            "postgresql://u@127.0.0.1:\(server.port)/d?gssencmode=disable&sslmode=verify-full")
        #expect(message(error).hasSuffix("server does not support SSL, but SSL was required"))
        #expect(came.wait() == PostgresConnectingTests.request)
    }

    // MARK: Later

    /// RowDescription: a `bigint` named n in binary format.
    private static let column: [UInt8] = [
        0, 1, 0x6E, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1,
    ]
    /// DataRow: 7.
    private static let row: [UInt8] = [0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7]

    /// In a process of its own: what is freed twice ends the process.
    @Test func `a PostgreSQL connection that fails during setup is freed only once`() async {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let refusal = FakeServer.message("E", Array("SERROR\0C42501\0Mdenied\0\0".utf8))
            let came = try FakeServer(in: folder).serveApart(
                [FakeServer.welcome, refusal + FakeServer.ready])
            let location = try PostgresLocation("postgresql://u@/d?host=\(folder.path)")
            let error = #expect(throws: CentralError.self) {
                try PostgresConnection(location, program: "tests")
            }
            #expect(error == .server(code: "42501", message: "denied"))
            #expect(!came.wait().isEmpty)
        }
    }

    @Test
    func `if its connection is lost, a PostgreSQL query delivers the rows received, then fails`()
        throws
    {
        let folder = try ScratchFolder()
        let settings = FakeServer.message("C", Array("SET\0".utf8)) + FakeServer.ready
        let result =
            FakeServer.message("1", []) + FakeServer.message("2", [])
            + FakeServer.message("T", PostgresConnectingTests.column)
            + FakeServer.message("D", PostgresConnectingTests.row)
        let came = try FakeServer(in: folder).serveApart(
            [FakeServer.welcome, settings, result], hangsUp: true)
        let location = try PostgresLocation("postgresql://u@/d?host=\(folder.path)")
        let connection = try PostgresConnection(location, program: "tests")
        var rows: [Int64?] = []
        let error = #expect(throws: CentralError.self) {
            try connection.run("SELECT n", []) { row throws(CentralError) in
                rows.append(row.integer(0))
                return true
            }
        }
        #expect(rows == [7])
        #expect(!message(error).isEmpty)
        let next = #expect(throws: CentralError.self) { try connection.run("SELECT n") }
        #expect(!message(next).isEmpty)
        #expect(!came.wait().isEmpty)
    }
}
