import Capture
import Foundation
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Programs that go on reading a central store while shippers deliver.
@Suite struct FleetReadingTests {
    private static func record(
        _ paths: [String], startingAt second: Int64, into store: TemporaryStore
    ) throws {
        let recorder = try store.recorder()
        for (index, path) in paths.enumerated() {
            let start = Samples.wallStart + (second + Int64(index)) * 1_000_000_000
            recorder.record(Samples.complete(recorder.nextExchangeID(), path, wallStart: start))
        }
        recorder.stop()
    }

    private func team(_ paths: [String]) throws -> (Team, TemporaryStore) {
        let (team, store) = (try Team(), TemporaryStore())
        try FleetReadingTests.record(paths, startingAt: 100, into: store)
        try team.deliver(store)
        return (team, store)
    }

    @Test
    func `proxyctl tail on a central store prints exchanges in order of arrival, not start time`()
        throws
    {
        let (team, store) = try team(["/before"])
        let tail = try Service(
            try Tool.built("proxyctl"), ["--store", team.location, "tail", "--json"])
        let first = try firstRow(of: tail, team)
        #expect(first.text("path") == "/soon")
        let early = TemporaryStore()
        try FleetReadingTests.record(["/earlier"], startingAt: 1, into: early)
        try team.deliver(early, as: "ci-2")
        #expect(try nextRow(of: tail) == "ci-2:1")
        try FleetReadingTests.record(["/later"], startingAt: 200, into: store)
        try team.deliver(store)
        #expect(try nextRow(of: tail) == "ci-1:2")
        let helpers = try Tool.run("ps", ["-o", "comm=", "--ppid", "\(tail.pid)"]).text
        #expect(helpers == "proxyship\n")
    }

    /// Delivers until the follower has begun to follow; it shows nothing from before that.
    private func firstRow(of tail: Service, _ team: Team) throws -> Row {
        let store = TemporaryStore()
        for number in 0..<500 {
            try FleetReadingTests.record(["/soon"], startingAt: 150 + Int64(number), into: store)
            try team.deliver(store, as: "ci-3")
            if let line = try tail.lineIfAny() { return try Row(json: line) }
        }
        throw Tool.Failure(description: "the follower shows nothing: \(tail.errors)")
    }

    /// The next row that is not one of the first.
    private func nextRow(of tail: Service) throws -> String? {
        while true {
            let row = try Row(json: try tail.readLine())
            if row.text("path") != "/soon" { return row.text("id") }
        }
    }

    @Test(.enabled(if: TerminalSession.isPossible, "tmux is not installed"))
    func `the terminal interface sorts exchanges by start time even if they are delivered late`()
        throws
    {
        let (team, store) = try team(["/one", "/two", "/three"])
        let terminal = try TerminalSession()
        try terminal.wait("a prompt") { $0.hasPrefix("$") }
        try terminal.type("\(try Tool.built("proxyctl")) --store '\(team.location)'")
        try terminal.press("Enter")
        try terminal.wait(for: "/three")
        // The last row is followed; then one above it is selected.
        let early = TemporaryStore()
        try FleetReadingTests.record(["/from-another"], startingAt: 101, into: early)
        try team.deliver(early, as: "ci-2")
        let screen = try terminal.wait(for: "/from-another")
        let places = ["/one", "/from-another", "/three"].map { screen.range(of: $0)?.lowerBound }
        #expect(places.compactMap { $0 }.count == 3)
        #expect(places[0]! < places[1]! && places[1]! < places[2]!)
        try terminal.press("Up", "Up")
        try FleetReadingTests.record(["/four"], startingAt: 300, into: store)
        try team.deliver(store)
        try terminal.wait { $0.contains("/four") || $0.contains("1 new") }
        try terminal.press("Enter")
        try terminal.wait { $0.contains("Overview") && $0.contains("/two") }
        try terminal.press("Escape")
        try terminal.wait(for: "/three")
        try terminal.type("q")
        try terminal.wait("a prompt") { $0.contains("$ ") && !$0.contains("/four") }
    }

    @Test func `the web interface shows exchanges of a central store`() throws {
        let (team, _) = try team(["/one", "/two"])
        let web = try RunningWeb(["--store", team.location])
        let rows = try web.curl("/api/v1/exchanges?filter=path%3D%2Ftwo")
        #expect(rows.contains(#""id":"ci-1:2""#))
        #expect(try web.curl("/api/v1/exchanges/ci-1:2/body/response") == "hello")
        #expect(try web.curl("/api/v1/count?filter=store%3Dci-1").contains(#""count":2"#))
        let missing = try web.curl(
            "/api/v1/exchanges/ci-9:2", ["-o", "/dev/null", "-w", "%{http_code}"])
        #expect(missing == "404")
    }

    @Test
    func `a replay of a central store's exchange from the web interface is recorded locally`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl(origin.url("/again"))
        _ = try proxy.row()
        let team = try Team()
        try team.deliver(directory: proxy.directory)
        let web = try RunningWeb(["--store", team.location, "--data-dir", proxy.directory])
        let answer = try web.curl(
            "/api/v1/exchanges/ci-1:1/replay",
            ["-X", "POST", "-H", "Content-Type: application/json", "-d", #"{"exact":true}"#])
        #expect(answer == #"{"recorded_as":"2"}"#)
        #expect(try proxy.rows(count: 2).compactMap { $0.text("path") } == ["/again", "/again"])
    }

    @Test func `proxyctl assert and proxyctl compare work on a central store`() throws {
        let (team, _) = try team(["/one", "/two"])
        let scratch = try ScratchFolder()
        for (count, status) in [(1, Int32(0)), (2, 1)] {
            let file = try scratch.write(
                "expect.toml",
                """
                [[expect]]
                name = "two"
                when = "path=/two"
                count = \(count)

                """)
            let outcome = try team.proxyctl(["assert", file])
            #expect(outcome.status == status, "\(outcome.text)\(outcome.errors)")
        }
        let compared = try team.proxyctl(["compare", "path=/one", "path=/two"])
        #expect(compared.status == 1)
        #expect(compared.text.contains("0 same, 1 new, 1 gone, 0 changed, 0 slower"))
        #expect(compared.text.contains("ci-1:2"))
    }

    @Test func `MCP agents can list and show the exchanges of a central store`() throws {
        let (team, _) = try team(["/one", "/two"])
        let calls = [
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":"#
                + #"{"protocolVersion":"2025-06-18","capabilities":{},"#
                + #""clientInfo":{"name":"test","version":"1"}}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":"#
                + #"{"name":"list_exchanges","arguments":{"filter":"path=/two"}}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":"#
                + #"{"name":"show_exchange","arguments":{"id":"ci-1:1"}}}"#,
        ]
        let outcome = try Tool.run(
            Tool.built("proxyctl"), ["--store", team.location, "mcp"],
            input: Data((calls.joined(separator: "\n") + "\n").utf8), seconds: 60)
        #expect(outcome.text.contains("ci-1:2"))
        #expect(outcome.text.contains("/one"), "\(outcome.text)\(outcome.errors)")
    }
}
