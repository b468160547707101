import Foundation
import ProxydTestSupport
import Testing

/// Certificates that the daemon shows to servers.
@Suite(.enabled(if: Tool.find("openssl") != nil, "openssl is not installed"))
struct DaemonCertificateTests {
    /// `openssl s_server` that lets in only who shows a certificate of our authority.
    private final class AskingServer {
        let port: Int
        private let service: Service

        init(_ server: TestCertificate, accepting authority: TestCertificate) throws {
            service = try Service(
                Tool.find("openssl") ?? "",
                [
                    "s_server", "-accept", "127.0.0.1:0", "-www", "-cert",
                    server.certificatePath, "-key", server.keyPath, "-Verify", "2",
                    "-verify_return_error", "-CAfile", authority.certificatePath,
                ])
            while true {
                let line = try service.readLine()
                guard line.hasPrefix("ACCEPT") else { continue }
                port = Int(line.split(separator: ":").last ?? "") ?? 0
                return
            }
        }

        var url: String { "https://localhost:\(port)/" }
    }

    private let server: TestCertificate
    private let own: TestCertificate
    private let asking: AskingServer

    init() throws {
        server = try TestCertificate()
        own = try TestCertificate(names: "DNS:me.test")
        asking = try AskingServer(server, accepting: own)
    }

    private func daemon(
        _ hosts: String, more: String = "", rules: String? = nil
    ) throws -> Daemon {
        let data = try ScratchFolder()
        chmod(own.keyPath, 0o600)
        if let rules {
            try rules.write(
                toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        }
        return try Daemon(
            trusting: server,
            configuration: """
                \(more)
                [[client_certificate]]
                name = "mine"
                \(hosts)
                certificate = "\(own.certificatePath)"
                key = "\(own.keyPath)"
                """, data: data)
    }

    @Test func `a client certificate is sent to the servers it is configured for`() throws {
        let proxy = try daemon("hosts = [\"localhost\"]")
        let outcome = try proxy.curl("-i", asking.url)
        #expect(outcome.text.contains(" 200 "), "\(outcome.text)")
        #expect(outcome.text.contains("Client certificate"))
        let shown = try proxy.show(proxy.row())
        let asked = try #require(shown.row("client_certificate"))
        #expect(asked.object["shown"] as? Bool == true)
        #expect(asked.object["authorities"] as? [String] == ["CN=localhost"])
    }

    @Test
    func `if no client certificate is configured for a server, the error names the CA it accepts`()
        throws
    {
        let proxy = try daemon("hosts = [\"*.example.com\"]")
        let outcome = try proxy.curl("-i", asking.url)
        #expect(outcome.text.contains(" 502 "), "\(outcome.text)")
        let error = try proxy.row().text("error") ?? ""
        #expect(error.contains("asks for a client certificate of CN=localhost"), "\(error)")
        #expect(error.contains("none is configured"), "\(error)")
    }

    @Test func `a rule can select a client certificate by name`() throws {
        let proxy = try daemon(
            "",
            rules: """
                [[rule]]
                name = "mine"
                when = 'host=localhost'
                connect = [{ client_certificate = "mine" }]
                """)
        #expect(try proxy.curl("-i", asking.url).text.contains(" 200 "))
    }

    @Test
    func `a client certificate is never sent to a server whose own certificate is not verified`()
        throws
    {
        let proxy = try daemon(
            "hosts = [\"*\"]", more: "[tls]\nunverified_hosts = [\"localhost\"]\n")
        let outcome = try proxy.curl("-i", asking.url)
        #expect(outcome.text.contains(" 502 "), "\(outcome.text)")
    }

    @Test func `a client certificate's key that other users can read is a configuration error`()
        throws
    {
        let data = try ScratchFolder()
        chmod(own.keyPath, 0o644)
        let file = data.path + "/proxyd.toml"
        try """
        [[client_certificate]]
        name = "mine"
        certificate = "\(own.certificatePath)"
        key = "\(own.keyPath)"
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Tool.run(
            try Tool.built("proxyd"), ["--check-config", "--config", file, "--data-dir", data.path])
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("\(file):4: key: \(own.keyPath) is accessible"))
    }

    @Test
    func `a rule that names an unknown client certificate or upstream proxy is rejected`()
        throws
    {
        let data = try ScratchFolder()
        try """
        [[rule]]
        name = "r"
        connect = [
          { via = "gone" },
          { client_certificate = "lost" },
        ]
        """.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        let file = data.path + "/proxyd.toml"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Tool.run(
            try Tool.built("proxyd"), ["--check-config", "--config", file, "--data-dir", data.path])
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("rules.toml:4: the configuration has no [[upstream]]"))
        #expect(outcome.errors.contains("rules.toml:5: "))
    }
}
