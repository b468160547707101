import Capture
import ProxydCaptureModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// What `--status` says without a server.
@Suite struct StatusReportTests {
    private let store = TemporaryStore()
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func status() throws -> ProgramRun {
        let file = try scratch.write(
            "ship.toml",
            """
            data_dir = "\(store.directory.path)"
            [shipping]
            store = "postgresql://u@/d?host=\(scratch.path)"
            name = "ci-9"
            """)
        return try ProgramRun(["--config", file, "--status"])
    }

    @Test
    func `proxyship --status reports waiting exchanges even if the central store is unreachable`()
        throws
    {
        let recorder = try store.recorder()
        for number in 0..<3 { recorder.recordSample("/\(number)") }
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: 1, changesThrough: 0))
        recorder.stop()
        let run = try status()
        #expect(run.status == 1)
        #expect(
            run.output == """
                store      \(store.directory.path)
                name       ci-9
                waiting    2
                lost       0
                central    not reachable

                """)
        #expect(run.errors.hasPrefix("proxyship: central store: "))
        #expect(run.errors.contains("\(scratch.path)/.s.PGSQL.5432"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func `proxyship --status fails with a message if nothing has been captured yet`() throws {
        let run = try status()
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(
            run.errors
                == "proxyship: \(store.directory.storePath) is missing or empty: nothing has been "
                + "captured yet\n")
    }
}
