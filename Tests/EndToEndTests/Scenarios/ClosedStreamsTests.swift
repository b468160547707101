import Foundation
import ProxydTestSupport
import Testing

/// proxyctl where whoever started it had closed standard streams.
struct ClosedStreamsTests {
    private let origin: Origin
    private let daemon: Daemon

    init() throws {
        origin = try Origin()
        daemon = try Daemon()
        try daemon.curl(origin.url("/a"))
        _ = try daemon.row()
    }

    private func proxyctl(_ redirections: String, _ arguments: [String]) throws -> Tool.Outcome {
        let command = [try Tool.built("proxyctl"), "--data-dir", daemon.directory] + arguments
        return try Tool.run("sh", ["-c", "exec \"$@\" " + redirections, "sh"] + command)
    }

    @Test
    func `with all standard streams closed, proxyctl export writes only exchanges to its file`()
        throws
    {
        let file = daemon.data.path + "/a.jsonl"
        let outcome = try proxyctl(
            "<&- >&- 2>&-", ["export", "--format", "jsonl", "--output", file])
        // How many there are could not be printed.
        #expect(outcome.status == 1)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 1)
        #expect(try Row(json: String(lines.first ?? "")).int("status") == 200)
    }

    @Test func `proxyctl fails with a message on stderr if stdout is closed`()
        throws
    {
        let outcome = try proxyctl(">&-", ["list"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("standard output"), "\(outcome.errors)")
    }
}
