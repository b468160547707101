import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// The connections of a reader.
@Suite struct CentralLinkTests {
    private let first = ScriptedConnection()
    private let second = ScriptedConnection()

    private static let gone = CentralError.connection("gone")

    /// Runs one statement.
    private func ask(_ link: CentralLink) throws(StoreError) -> Int64 {
        try link.use { connection throws(CentralError) in try connection.run("SELECT 1") }
    }

    // MARK: How many

    @Test func `the connection pool opens a connection only when it is needed and then keeps it`()
        throws
    {
        let server = ScriptedServer(first, second)
        let link = server.link
        #expect(server.openedCount == 0)
        for _ in 0..<3 { _ = try ask(link) }
        #expect(server.openedCount == 1)
        #expect(first.outline == ["SELECT 1", "SELECT 1", "SELECT 1"])
    }

    @Test func `overlapping operations each use their own connection from the connection pool`()
        throws
    {
        let server = ScriptedServer(first, second)
        let link = server.link
        for _ in 0..<2 {
            let count = try link.use { outer throws(CentralError) -> Int64 in
                let inner = try? ask(link)
                return try outer.run("SELECT 2") + (inner ?? -1)
            }
            #expect(count == 0)
        }
        #expect(server.openedCount == 2)
        // The one that was put back last is taken first.
        #expect(first.outline == ["SELECT 2", "SELECT 2"])
        #expect(second.outline == ["SELECT 1", "SELECT 1"])
    }

    @Test func `a connection refused by the PostgreSQL server is reported as an error`() throws {
        let server = ScriptedServer()
        let error = StoreError.central("no connection is left")
        #expect(throws: error) { try ask(server.link) }
        #expect(throws: error) { try ask(server.link) }
    }

    // MARK: Connections that were closed

    @Test func `the connection pool replaces an idle connection that was closed`() throws {
        let server = ScriptedServer(first, second)
        let link = server.link
        _ = try ask(link)
        first.answer("SELECT 1", .failure(Self.gone))
        second.answer("SELECT 1", .rows([.integer(1)]))
        #expect(try ask(link) == 1)
        #expect(server.openedCount == 2)
        #expect(try ask(link) == 1)
        #expect(server.openedCount == 2 && first.outline.count == 2)
    }

    @Test func `the connection pool replaces at most one closed connection for each statement`()
        throws
    {
        let third = ScriptedConnection()
        let server = ScriptedServer(first, second, third)
        let link = server.link
        _ = try ask(link)
        for connection in [first, second] {
            connection.answer("SELECT 1", .failure(Self.gone))
        }
        #expect(throws: StoreError.central("gone")) { try ask(link) }
        #expect(server.openedCount == 2)
        // The next statement gets a connection that was never used.
        #expect(try ask(link) == 0)
        #expect(server.openedCount == 3)
    }

    @Test
    func `the connection pool does not replace a connection that breaks during its first use`()
        throws
    {
        let server = ScriptedServer(first, second)
        let link = server.link
        first.answer("SELECT 1", .failure(Self.gone))
        #expect(throws: StoreError.central("gone")) { try ask(link) }
        #expect(server.openedCount == 1)
        #expect(try ask(link) == 0)
        #expect(server.openedCount == 2)
    }

    @Test func `if one idle connection was closed, the connection pool discards all idle ones`()
        throws
    {
        let third = ScriptedConnection()
        let server = ScriptedServer(first, second, third)
        let link = server.link
        _ = try link.use { _ throws(CentralError) -> Int64 in (try? ask(link)) ?? -1 }
        #expect(server.openedCount == 2)
        first.answer("SELECT 1", .failure(Self.gone))
        #expect(try ask(link) == 0)
        #expect(try ask(link) == 0)
        #expect(server.openedCount == 3)
        #expect(second.outline.count == 1 && third.outline.count == 2)
    }

    // MARK: Other errors

    @Test(
        arguments: [
            (
                CentralError.server(code: "42601", message: "syntax error"),
                StoreError.central("syntax error (SQLSTATE 42601)")
            ),
            (.location("wrong"), .central("wrong")), (.cancelled, .cancelled),
        ] as [(CentralError, StoreError)])
    func `the connection pool keeps a connection on which a statement failed`(
        error: CentralError, reported: StoreError
    ) throws {
        let server = ScriptedServer(first, second)
        let link = server.link
        first.answer("SELECT 1", .failure(error), .rows([.integer(1)]))
        #expect(throws: reported) { try ask(link) }
        #expect(try ask(link) == 1)
        #expect(server.openedCount == 1)
    }

    // MARK: Cancellation

    @Test func `cancelling a read cancels the statement that is running on its connection`() throws
    {
        let cancellation = ReadCancellation()
        let link = ScriptedServer(first).link
        try cancellation.run {
            _ = try link.use { connection throws(CentralError) -> Int64 in
                #expect(first.recorder.calls == [.reset])
                cancellation.cancel()
                return try connection.run("SELECT 1")
            }
        }
        #expect(first.recorder.calls == [.reset, .cancel])
        cancellation.cancel()
        // No statement is running.
        #expect(first.recorder.calls == [.reset, .cancel])
    }

    @Test func `a cancelled read sends no statement, and the pool keeps its connection`()
        throws
    {
        let cancellation = ReadCancellation()
        let server = ScriptedServer(first, second)
        let link = server.link
        cancellation.cancel()
        #expect(throws: StoreError.cancelled) { try cancellation.run { try ask(link) } }
        #expect(first.outline == [])
        // Others read on, and are not cancelled.
        #expect(try ask(link) == 0)
        #expect(server.openedCount == 1)
        #expect(first.recorder.calls == [.reset, .reset])
    }

    @Test func `a read that is not cancelled sends no cancel request to PostgreSQL`() throws {
        _ = try ask(ScriptedServer(first).link)
        #expect(first.recorder.calls == [.reset])
    }
}
