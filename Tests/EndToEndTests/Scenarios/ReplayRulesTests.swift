import Foundation
import ProxydTestSupport
import Testing

/// What is sent again goes to its server itself, with what the daemon knows of servers.
@Suite(.timeLimit(.minutes(10)))
struct ReplayRulesTests {
    private let certificate: TestCertificate
    private let origin: Origin

    /// A server whose certificate no system trusts.
    init() throws {
        certificate = try TestCertificate(names: "DNS:localhost,DNS:name.test")
        origin = try Origin(tls: certificate)
    }

    private var trusting: String {
        "[tls]\nextra_ca_files = [\"\(certificate.certificatePath)\"]\n"
    }
    private var unverified: String {
        "[tls]\nunverified_hosts = [\"localhost:\(origin.port)\"]\n"
    }

    /// A daemon that has captured a request to the server.
    private func daemon(_ configuration: String) throws -> (daemon: Daemon, id: String) {
        let daemon = try Daemon(configuration: configuration)
        try daemon.curl("-o", "/dev/null", origin.url("/headers"))
        let row = try daemon.row()
        #expect(row.int("status") == 200)
        return (daemon, String(try #require(row.int("id"))))
    }

    /// Replays without the daemon; `arguments` follow.
    private func replay(
        _ daemon: Daemon, _ id: String, _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws -> Tool.Outcome {
        try Tool.run(
            Tool.built("proxyctl"),
            ["--data-dir", daemon.directory, "replay", id] + arguments, environment: environment)
    }

    @Test func `proxyctl replay uses the extra CAs and unverified hosts of a running proxyd`()
        throws
    {
        for configuration in [trusting, unverified] {
            let (daemon, id) = try daemon(configuration)
            let outcome = try daemon.proxyctl(["replay", id])
            #expect(outcome.status == 0, "\(outcome)")
            let rows = try daemon.rows(count: 2)
            #expect(rows.map { $0.int("status") } == [200, 200])
            #expect(rows.last?.int("replay_of") == Int(id))
        }
    }

    @Test func `proxyctl replay also trusts the CAs set in the environment of the running proxyd`()
        throws
    {
        let daemon = try Daemon(trusting: certificate)
        try daemon.curl("-o", "/dev/null", origin.url("/headers"))
        let id = String(try #require(try daemon.row().int("id")))
        let outcome = try replay(daemon, id, environment: ["SSL_CERT_FILE": ""])
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func `proxyctl replay does not connect to a target network that proxyd denies`() throws {
        let (daemon, id) = try daemon(trusting)
        let denying =
            trusting + "[forwarding]\ndenied_target_networks = [\"127.0.0.0/8\", \"::1\"]\n"
        try denying.write(
            toFile: daemon.data.path + "/proxyd.toml", atomically: true, encoding: .utf8)
        daemon.service.signal(SIGHUP)
        var status = ""
        while status != "403" {
            status = try daemon.curl(
                "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(origin.port)/"
            ).text
        }
        let outcome = try daemon.proxyctl(["replay", id, "--json"])
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("the address of localhost"), "\(outcome)")
        #expect(outcome.text.contains("is not allowed"), "\(outcome)")
        #expect(outcome.text.contains("forwarding.denied_target_networks"), "\(outcome)")
        let printed = try daemon.proxyctl(["replay", id])
        #expect(printed.text.contains("forwarding.denied_target_networks"), "\(printed)")
    }

    @Test func `without a running proxyd, proxyctl replay uses proxyd's configuration file`() throws
    {
        let (daemon, id) = try daemon(unverified)
        _ = daemon.stop()
        let refused = try replay(daemon, id, environment: ["XDG_CONFIG_HOME": daemon.data.path])
        #expect(refused.status == 1)
        #expect(refused.text.contains("--insecure sends all the same"), "\(refused)")
        #expect(refused.text.contains("tls.extra_ca_files"), "\(refused)")
        let file = daemon.data.path + "/proxyd.toml"
        #expect(try replay(daemon, id, ["--config", file]).status == 0)
        // Where a daemon would find it.
        try FileManager.default.createDirectory(
            atPath: daemon.data.path + "/proxyd", withIntermediateDirectories: false)
        try FileManager.default.moveItem(
            atPath: file, toPath: daemon.data.path + "/proxyd/proxyd.toml")
        let found = try replay(daemon, id, environment: ["XDG_CONFIG_HOME": daemon.data.path])
        #expect(found.status == 0, "\(found)")
        let missing = try replay(daemon, id, ["--config", file])
        #expect(missing.status == 1)
        #expect(missing.errors.contains("proxyd.toml: cannot be read"), "\(missing)")
    }

    @Test
    func `proxyctl replay --insecure sends the request despite an untrusted server certificate`()
        throws
    {
        let (daemon, id) = try daemon(unverified)
        _ = daemon.stop()
        let outcome = try replay(daemon, id, ["--insecure"])
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test
    func `proxyctl replay --resolve connects to the given address and verifies the host name`()
        throws
    {
        let (daemon, id) = try daemon(trusting)
        for (name, status) in [("name.test", Int32(0)), ("other.test", 1)] {
            let place = "\(name):\(origin.port)"
            let outcome = try daemon.proxyctl([
                "replay", id, "--set", "url=https://\(place)/headers", "--resolve",
                "\(place):127.0.0.1",
            ])
            #expect(outcome.status == status, "\(outcome)")
        }
        let rows = try daemon.rows("host=name.test", count: 1)
        #expect(rows.map { $0.int("status") } == [200])
        for bad in ["name.test:443", "name.test:x:127.0.0.1", "name.test:443:name.test"] {
            let outcome = try daemon.proxyctl(["replay", id, "--resolve", bad])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("HOST:PORT:ADDRESS"), "\(outcome)")
        }
    }

    @Test func `with --via-proxy, a replay goes through proxyd, which also records the exchange`()
        throws
    {
        let (daemon, id) = try daemon(trusting)
        let outcome = try daemon.proxyctl(["replay", id, "--via-proxy"])
        #expect(outcome.status == 0, "\(outcome)")
        let rows = try daemon.rows(count: 3)
        #expect(rows.count == 3)
        #expect(rows.filter { $0.int("replay_of") == Int(id) }.count == 1)
        #expect(rows.allSatisfy { $0.int("status") == 200 })
    }

    @Test func `a replay in the terminal interface uses the unverified hosts of a running proxyd`()
        throws
    {
        let (daemon, id) = try daemon(unverified)
        let run = try TerminalRun(daemon)
        try run.terminal.type("r")
        let rows = try daemon.rows(count: 2)
        #expect(rows.last?.int("replay_of") == Int(id))
        #expect(rows.last?.int("status") == 200)
    }

    @Test
    func `the terminal interface says how to replay to a server with an untrusted certificate`()
        throws
    {
        let (daemon, _) = try daemon(unverified)
        try "".write(toFile: daemon.data.path + "/proxyd.toml", atomically: true, encoding: .utf8)
        daemon.service.signal(SIGHUP)
        var status = ""
        while status != "502" {
            status = try daemon.curl(
                "-o", "/dev/null", "-w", "%{http_code}", origin.url("/headers")
            ).text
        }
        let goodCount = try daemon.rows("status=200", count: 1).count
        let run = try TerminalRun(daemon)
        try run.terminal.type("r")
        try run.terminal.wait(for: "to skip verification, use S in the composer")
        try run.terminal.press("Escape")
        try run.terminal.wait { !$0.contains("to skip verification, use S") }
        try run.terminal.type("e")
        try run.terminal.wait("a request") {
            $0.contains("Edit a copy of #") && $0.contains("Method")
        }
        try run.terminal.type("S")
        try run.terminal.wait(for: "Send with options")
        try run.terminal.press("Right", "Enter")
        let rows = try daemon.rows("status=200", count: goodCount + 1)
        #expect(rows.last?.isNull("replay_of") == false)
    }
}
