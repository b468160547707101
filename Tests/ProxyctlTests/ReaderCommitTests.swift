import Synchronization
import Testing

/// Commands that read let a running daemon commit first.
struct ReaderCommitTests {
    private static let reading = [
        ["list"], ["show", "1"], ["messages", "1"], ["sql", "SELECT 1"],
        ["export", "--format", "jsonl", "--output", "-"], ["check"],
    ]

    private func run(_ arguments: [String], _ store: SampleStore) -> CommandRun {
        CommandRun(["--data-dir", store.directoryPath] + arguments)
    }

    @Test(arguments: reading)
    func `before it reads the store, a proxyctl command asks the daemon exactly once to commit`(
        arguments: [String]
    ) throws {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        let answered = run(arguments, store)
        #expect(answered.code == 0, "\(answered)")
        #expect(daemon.handler.snapshot.commitCount == 1)
    }

    @Test func `proxyctl messages --follow does not ask the daemon to commit`() throws {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        #expect(run(["messages", "1", "--follow"], store).code == 0)
        #expect(daemon.handler.snapshot.commitCount == 0)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [LocalHandler.CommitAnswer.unknown, .never])
    func `proxyctl list works even if the daemon rejects the commit command or never responds`(
        answer: LocalHandler.CommitAnswer
    ) throws {
        let store = try SampleStore()
        let alone = run(["list"], store)
        let daemon = try RunningDaemon(store)
        daemon.handler.commitAnswer.withLock { $0 = answer }
        let answered = run(["list"], store)
        #expect(answered.code == 0)
        #expect(answered.output == alone.output)
        #expect(daemon.handler.snapshot.commitCount == 1)
    }
}
