import Foundation
import ProxydCentralStore
import ProxydPostgresLink
import ProxydTestSupport
import Testing
@testable import proxyship

/// What a program that asks is told when there is no central store to ask.
@Suite struct StatementServerTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// What is said about a location, and whether it was served. Everything fits into a pipe.
    private func answers(_ uri: String) throws -> (messages: [WireMessage], isServed: Bool) {
        let pipe = try PipeEnds()
        defer { close(pipe.reading) }
        let isServed = StatementServer(output: pipe.writing)
            .run(try PostgresLocation(uri), input: pipe.reading)
        close(pipe.writing)
        var messages: [WireMessage] = []
        while let message = WirePipe.read(pipe.reading) { messages.append(message) }
        return (messages, isServed)
    }

    @Test
    func `proxyship serve reports one connection error if PostgreSQL is unreachable`()
        throws
    {
        let found = try answers("postgresql://u@/d?host=\(scratch.path)")
        #expect(!found.isServed)
        #expect(found.messages.count == 1)
        guard case .failed(.connection(let message))? = found.messages.first else {
            Issue.record("\(found.messages)")
            return
        }
        #expect(message.contains("\(scratch.path)/.s.PGSQL.5432"))
        #expect(!message.contains("\n"))
    }

    @Test func `proxyship serve does not crash if its client has closed the pipe`()
        throws
    {
        let pipe = try PipeEnds()
        close(pipe.reading)
        let nothing = open("/dev/null", O_RDONLY)
        defer { close(nothing) }
        signal(SIGPIPE, SIG_IGN)
        let location = try PostgresLocation("postgresql://u@/d?host=\(scratch.path)")
        #expect(!StatementServer(output: pipe.writing).run(location, input: nothing))
        close(pipe.writing)
    }

    // MARK: The command

    @Test func `proxyship serve reports a rejected database URI as a stdio message, not on stderr`()
        throws
    {
        let run = try ProgramRun(["serve", "--stdio", "postgresql://u:hunter2@h/d"])
        #expect(run.status == 1)
        #expect(run.errors.isEmpty)
        let length = run.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        #expect(length == run.bytes.count - 4)
        let expected = CentralError.location(
            "the URI contains a password; put it into ~/.pgpass or the file named by PGPASSFILE, "
                + "or use a client certificate")
        #expect(WireMessage(Array(run.bytes.dropFirst(4))) == .failed(expected))
    }

    @Test func `proxyship serve requires --stdio`() throws {
        let run = try ProgramRun(["serve", "postgresql:///d"])
        #expect(run.status == 64)
        #expect(run.bytes.isEmpty)
        #expect(run.errors.contains("--stdio is the only way to be asked"))
    }
}
