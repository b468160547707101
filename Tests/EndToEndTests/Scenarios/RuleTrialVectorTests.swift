import Foundation
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// The scenarios of trials: what `rule test` tells about exchanges that a daemon captured.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: RuleVectorFile.isThere, "no ../shared/vectors beside the repository"))
struct RuleTrialVectorTests {
    struct Vectors: Decodable { let dry_run: [Scenario] }

    struct Scenario: Decodable {
        struct Captured: Decodable {
            let request: String
            let status: Int?
            let body_bytes: Int?
        }

        struct Result: Decodable {
            let id: Int
            let rule: String
            let outcome: String
        }

        let id: String
        let rules: String
        let captured: [Captured]
        let result: [Result]
    }

    private let data: ScratchFolder
    private let origin: ScriptedOrigin
    private let daemon: Daemon

    init() throws {
        data = try ScratchFolder()
        origin = try ScriptedOrigin()
        try "[[rule]]\nname = \"route\"\nconnect = [{ resolve = \"127.0.0.1\" }]\n".write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        daemon = try Daemon(
            configuration: "[recording]\nbody_capture_byte_count_max = 10\n", data: data)
    }

    @Test func `proxyctl rule test reports the outcomes that the shared test vectors expect`()
        throws
    {
        let scenarios = try #require(try RuleVectorFile.read(Vectors.self)).dry_run
        #expect(scenarios.count >= 4)
        var first = 1
        for scenario in scenarios {
            for captured in scenario.captured { try capture(captured) }
            let count = scenario.captured.count
            _ = try daemon.rows("id>=\(first)", count: count)
            try check(scenario, from: first)
            first += count
        }
    }

    /// Sends what was captured: its body is `x`, however long it is.
    private func capture(_ captured: Scenario.Captured) throws {
        let client = try RawClient(port: daemon.port)
        let line = captured.request.replacing(".test/", with: ".test:\(origin.port)/")
        let body = String(repeating: "x", count: captured.body_bytes ?? 0)
        client.send(
            "\(line)\r\nHost: a.test:\(origin.port)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body)
        let status = captured.status ?? 204
        let answer = "HTTP/1.1 \(status) Said\r\nContent-Length: 0\r\n\r\n"
        _ = try origin.answer(Array((status == 204 ? "HTTP/1.1 204 \r\n\r\n" : answer).utf8))
        _ = try client.readResponse(to: .get)
    }

    private func check(_ scenario: Scenario, from first: Int) throws {
        let file = data.path + "/tried.toml"
        try scenario.rules.write(toFile: file, atomically: true, encoding: .utf8)
        let report = try daemon.proxyctl([
            "rule", "test", "--file", file, "--json", "id>=\(first)",
        ])
        #expect(report.status == 0, "\(scenario.id): \(report.errors)")
        var told: Set<[String]> = []
        for line in report.text.split(separator: "\n") {
            let line = try Row(json: String(line))
            for (outcome, count) in line.row("outcomes")?.object ?? [:] {
                #expect(count as? Int == 1, "\(scenario.id)")
                told.insert([line.text("rule") ?? "", outcome, "\(line.int("first") ?? 0)"])
            }
        }
        let wanted = scenario.result.map { result in
            let outcome = result.outcome.replacing("octets", with: "bytes")
            let isReached = !outcome.hasPrefix("not reached")
            return [result.rule, outcome, "\(isReached ? first + result.id - 1 : 0)"]
        }
        #expect(told == Set(wanted), "\(scenario.id)")
    }
}
