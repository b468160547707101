import Capture
import ProxydControl
import ProxydHTTPModel
import Testing

@testable import proxyctl

/// What `proxyctl replay` says and stores when no one answers; answers are for end-to-end tests.
struct ReplayCommandTests {
    /// A store with one GET to a port of this machine that no one listens on, and a tunnel.
    private static func store() throws -> SampleStore {
        var exchange = SampleExchange.search
        let origin = Array("/x?a=1".utf8)
        // Port 1 (tcpmux) is free on every machine that runs tests.
        let url = RawURL(scheme: "http", host: "127.0.0.1", port: 1, origin: origin)
        exchange.request = Request(
            url: url,
            head: RequestHead(
                method: .get, target: origin,
                fields: HeaderFields([(name: "Host", value: url.authority)])))
        exchange.client = nil
        exchange.server = nil
        return try SampleStore([exchange, SampleExchange.tunnel])
    }

    private func replay(_ store: SampleStore, _ arguments: String...) async -> CommandRun {
        await CommandRun.apart(["--data-dir", store.directoryPath, "replay"] + arguments)
    }

    @Test
    func `a failed replay is printed and stored as a failed exchange, and proxyctl exits with 1`()
        async throws
    {
        let store = try ReplayCommandTests.store()
        let run = await replay(store, "1")
        #expect(run.code == 1)
        #expect(run.lines.count == 2)
        #expect(run.lines.first?.contains("REPLAY") == true)
        #expect(run.lines.last?.contains("200 > failed") == true)
        #expect(run.lines.last?.contains("GET http://127.0.0.1:1/x?a=1") == true)
        let rows = try store.objects(store.run("list", "--json"))
        #expect(rows.count == 3)
        #expect(rows.last?["replay_of"] as? Int == 1)
        #expect(rows.last?["state"] as? String == "failed")
        #expect((rows.last?["error"] as? String)?.contains("connectionRefused") == true)
    }

    @Test func `proxyctl replay --json prints one object per replay with a fixed set of members`()
        async throws
    {
        let store = try ReplayCommandTests.store()
        let run = await replay(store, "1", "--times", "2", "--json", "--set", "method=POST")
        #expect(run.code == 1)
        let objects = try store.objects(run)
        #expect(objects.map { $0["round"] as? Int } == [1, 2])
        #expect(objects.map { $0["id"] as? Int } == [3, 4])
        let first = try #require(objects.first)
        #expect(
            Set(first.keys) == [
                "replay_of", "id", "round", "method", "url", "original", "replay", "status_same",
                "size_same", "body", "mismatch", "error",
            ])
        #expect(first["method"] as? String == "POST")
        #expect((first["original"] as? [String: Any])?["status"] as? Int == 200)
        #expect(first["mismatch"] as? Bool == true)
    }

    @Test
    func `proxyctl replay --filter replays matching exchanges and reports those it cannot replay`()
        async throws
    {
        let store = try ReplayCommandTests.store()
        let run = await replay(store, "--filter", "id<10")
        #expect(run.code == 1)
        #expect(run.errors.contains("exchange 2: cannot be replayed: it is a tunnel"))
        #expect(run.output.contains("1 replayed: 0 as before, 1 different (1 failed); 1 could not"))
        #expect(try store.objects(store.run("list", "--json")).count == 3)
    }

    @Test(arguments: [
        ["replay"], ["replay", "1", "--filter", "x"], ["replay", "1", "--times", "0"],
        ["replay", "1", "--concurrency", "0"], ["replay", "1", "--delay-ms", "-1"],
        ["replay", "1", "--exact", "--set", "header:A=b"], ["replay", "1", "--set", "header"],
        ["replay", "1", "--unset", "method"], ["replay", "--filter", "status=="],
        ["replay", "1", "--pacing", "original", "--times", "2"],
        ["replay", "1", "--via-proxy", "ftp://x"],
    ])
    func `proxyctl replay exits with 64 for invalid options and records nothing`(
        _ arguments: [String]
    ) async throws {
        let store = try SampleStore([SampleExchange.search])
        #expect(await CommandRun.apart(["--data-dir", store.directoryPath] + arguments).code == 64)
        #expect(try store.objects(store.run("list", "--json")).count == 1)
    }

    @Test func `proxyctl replay reports an unknown exchange and a filter without matches`()
        async throws
    {
        let store = try SampleStore([SampleExchange.search])
        #expect(await replay(store, "9").errors.contains("there is no exchange 9"))
        #expect(await replay(store, "--filter", "host:none").errors.contains("nothing matched"))
    }
}
