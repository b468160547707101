import ClientLib
import ProxydClientTestSupport
import ProxydContentCoding
import ProxydTestSupport
import Synchronization
import Testing

struct ReplayRunTests {
    /// A clock that moves when someone waits.
    private final class ManualClock: ReplayClock {
        private let time = Mutex<Int64>(1_000)
        let waits = Collector<Int64>()

        func now() -> Int64 { time.withLock { $0 } }
        func wait(until timeNs: Int64) async throws {
            waits.add(timeNs)
            time.withLock { $0 = max($0, timeNs) }
        }
    }

    private static func exchange(
        _ server: ScriptedServer, _ response: Response?, id: Int64 = 1, path: String = "/"
    ) throws -> Exchange {
        try CapturedRequest.exchange(
            "GET \(path) HTTP/1.1\nHost: h\n\n", to: server.port, response: response, id: id)
    }

    private static func results(
        _ plan: ReplayPlan, _ exchanges: [Exchange], clock: any ReplayClock = SystemReplayClock()
    ) async throws -> [ReplayResult] {
        var results: [ReplayResult] = []
        let session = Session()
        defer { session.shutdown() }
        try await ReplayRun(session, plan: plan, clock: clock).run(ReplayList(exchanges)) {
            results.append($0)
            return true
        }
        return results
    }

    @Test func `a replay run sends each exchange once per round, within the concurrency limit`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let exchanges = try (1...5).map {
            try ReplayRunTests.exchange(
                server, CapturedRequest.response(200, Array("ok".utf8)), id: $0, path: "/\($0)")
        }
        var plan = ReplayPlan()
        plan.roundCount = 20
        plan.concurrency = 8
        let results = try await ReplayRunTests.results(plan, exchanges)
        #expect(server.received.count == 100)
        #expect(server.connectionCount <= 8)
        #expect(results.count == 100)
        #expect(results.allSatisfy { !$0.isMismatch && $0.body == .same && $0.isSizeSame })
        for id in 1...5 {
            let own = results.filter { $0.originalID.rawValue == Int64(id) }
            #expect(own.map(\.round).sorted() == Array(1...20))
        }
    }

    @Test func `a replay run compares bodies after decoding their content codings`() async throws {
        let text = Array(String(repeating: "text ", count: 50_000).utf8)
        let gzip = try ContentEncoder.encode(text.span, as: .gzip)
        let server = try ScriptedServer { request in
            switch request.head.targetText {
            case "/identity": ScriptedServer.response(200, text)
            case "/short": ScriptedServer.response(200, Array(text.dropLast()))
            case "/long": ScriptedServer.response(200, text + [1])
            case "/broken":
                ScriptedServer.response(
                    200, Array(gzip.dropLast(9)), headers: [("Content-Encoding", "gzip")])
            case "/named": ScriptedServer.response(200, text, headers: [("Content-Encoding", "br")])
            default:
                ScriptedServer.response(200, gzip, headers: [("Content-Encoding", "gzip")])
            }
        }
        let coded = CapturedRequest.response(200, gzip, [("Content-Encoding", "gzip")])
        let plain = CapturedRequest.response(200, text)
        let named = CapturedRequest.response(200, text, [("Content-Encoding", "utf-8, gzip")])
        var truncated = plain
        truncated.body.byteCount += 1
        let cases: [(String, Response, BodyVerdict)] = [
            ("/identity", coded, .same), ("/gzip", coded, .same), ("/gzip", plain, .same),
            ("/short", coded, .different), ("/long", plain, .different),
            ("/broken", plain, .unknown), ("/identity", truncated, .unknown),
            ("/named", coded, .same), ("/named", plain, .same), ("/gzip", named, .same),
            ("/short", named, .different),
        ]
        for (path, original, verdict) in cases {
            let results = try await ReplayRunTests.results(
                ReplayPlan(), [try ReplayRunTests.exchange(server, original, path: path)])
            #expect(results.first?.body == verdict, "\(path)")
        }
    }

    @Test func `a replay run with stopsOnMismatch stops at the first mismatch`() async throws {
        let server = try ScriptedServer { request in
            ScriptedServer.response(request.number < 4 ? 200 : 500, "ok")
        }
        let exchange = try ReplayRunTests.exchange(
            server, CapturedRequest.response(200, Array("ok".utf8)))
        var plan = ReplayPlan()
        plan.roundCount = 50
        plan.stopsOnMismatch = true
        let results = try await ReplayRunTests.results(plan, [exchange, exchange])
        #expect(results.map(\.isMismatch) == [false, false, false, true])
        #expect(server.received.count == 4)
    }

    @Test func `a replay run reports an exchange that cannot be sent and sends the others`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let good = try ReplayRunTests.exchange(server, nil)
        var tunnel = good
        tunnel.state = .tunnel
        let results = try await ReplayRunTests.results(ReplayPlan(), [tunnel, good])
        #expect(results.map(\.isRefused) == [true, false])
        #expect(results.first?.error?.kind == .replayRefused(.tunnel))
        #expect(server.received.count == 1)
    }

    @Test func `a replay that fails is reported together with the original's status`() async throws
    {
        let silent = try SilentPort()
        let exchange = try CapturedRequest.exchange(
            "GET / HTTP/1.1\nHost: h\n\n", to: silent.port,
            response: CapturedRequest.response(204, []))
        let result = try #require(
            try await ReplayRunTests.results(ReplayPlan(), [exchange]).first)
        #expect(result.original.status == 204)
        #expect(result.replay?.status == nil)
        #expect(result.replay?.failure?.kind == .connectionRefused)
        #expect(result.isMismatch)
        #expect(!result.isRefused)
    }

    @Test func `a replay run waits for its delay between the starts of requests`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let exchange = try ReplayRunTests.exchange(server, nil)
        var plan = ReplayPlan()
        plan.roundCount = 4
        plan.delay = .nanoseconds(500)
        let clock = ManualClock()
        _ = try await ReplayRunTests.results(plan, [exchange], clock: clock)
        #expect(clock.waits.all == [1_500, 2_000, 2_500])
    }

    @Test func `the jitter of a replay run is bounded, and the same for the same seed`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let exchange = try ReplayRunTests.exchange(server, nil)
        var plan = ReplayPlan()
        plan.roundCount = 20
        plan.delay = .nanoseconds(100)
        plan.jitter = .nanoseconds(1_000)
        plan.seed = 4
        let clocks = (ManualClock(), ManualClock())
        _ = try await ReplayRunTests.results(plan, [exchange], clock: clocks.0)
        _ = try await ReplayRunTests.results(plan, [exchange], clock: clocks.1)
        #expect(clocks.0.waits.all == clocks.1.waits.all)
        let steps = zip([1_000] + clocks.0.waits.all, clocks.0.waits.all).map { $1 - $0 }
        #expect(steps.count == 19)
        #expect(steps.allSatisfy { (100...1_100).contains($0) })
        #expect(Set(steps).count > 1)
    }

    @Test
    func `a replay run with original pacing keeps the intervals between the original requests`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        var exchanges: [Exchange] = []
        for (id, start) in [(1, 5_000), (2, 5_300), (3, 5_200), (4, 9_000)] {
            var exchange = try ReplayRunTests.exchange(server, nil, id: Int64(id))
            exchange.timeline.wallStart = Int64(start)
            exchanges.append(exchange)
        }
        var plan = ReplayPlan()
        plan.pacing = .original
        plan.concurrency = 4
        let clock = ManualClock()
        let results = try await ReplayRunTests.results(plan, exchanges, clock: clock)
        #expect(clock.waits.all == [1_300, 5_000])
        #expect(results.count == 4)
    }

    @Test func `cancelling a replay run ends it with a CancellationError`() async throws {
        let server = try ScriptedServer { _ in [] }
        let exchange = try ReplayRunTests.exchange(server, nil)
        let run = Task {
            let session = Session()
            defer { session.shutdown() }
            try await ReplayRun(session).run(ReplayList([exchange, exchange])) { _ in true }
        }
        for await _ in server.arriving { break }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(server.received.count == 1)
    }

    @Test func `a replay run reads exchanges from its source only as it sends them`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let source = CountingSource(exchange: try ReplayRunTests.exchange(server, nil), count: 500)
        let log = source.log
        var plan = ReplayPlan()
        plan.concurrency = 3
        var doneCount = 0
        let session = Session()
        defer { session.shutdown() }
        try await ReplayRun(session, plan: plan).run(source) { _ in
            doneCount += 1
            #expect(log.count - doneCount <= 4)
            return true
        }
        #expect(doneCount == 500)
    }

    /// Counts what is taken of it.
    private struct CountingSource: ReplaySource {
        let exchange: Exchange
        var count: Int
        let log = Collector<Int>()

        mutating func next() -> Exchange? {
            guard count > 0 else { return nil }
            count -= 1
            log.add(count)
            return exchange
        }
    }
}
