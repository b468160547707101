import Foundation
import ProxydTestSupport
import Testing

/// A server's certificate that does not stand verification never becomes a good one of ours.
@Suite(.enabled(if: TLSServer.isAvailable, "openssl or python3-cryptography is not installed"))
struct ServerCertificateTests {
    @Test func `a valid server certificate chain is accepted`() throws {
        let server = try TLSServer()
        let outcome = try server.trustingDaemon().curl("-w", "\n%{http_code}", server.url)
        #expect(outcome.text.hasSuffix("\n200"), "\(outcome)")
    }

    /// A server that says what it is told, hello and all.
    @Test
    func `a server that violates the TLS protocol causes a 502 and an error with that reason`()
        throws
    {
        let echo = try EchoServer()
        let proxy = try Daemon()
        let outcome = try proxy.curl("-w", "\n%{http_code}", "https://localhost:\(echo.port)/")
        #expect(outcome.text.hasSuffix("\n502"), "\(outcome)")
        let words = "TLS with localhost:\(echo.port) failed: unexpected message"
        #expect(try proxy.row().text("error")?.contains(words) == true)
    }

    @Test(arguments: [
        ("expired", "certificate expired on"),
        ("not-yet-valid", "certificate is not valid before"),
        ("wrong-host", "certificate is for other.example, not localhost"),
        ("untrusted-root", "issuer not trusted: CN=root"),
        ("ca-flag-missing", "invalid CA certificate"),
        ("path-length", "path length constraint exceeded"),
        ("name-constraint", "permitted subtree violation"),
        ("key-usage", "invalid CA certificate"),
        ("extended-key-usage", "unsuitable certificate purpose"),
        ("weak-key", "EE certificate key too weak"),
        ("weak-signature", "signature digest algorithm too weak"),
    ])
    func `an invalid server certificate chain causes a 502 and a recorded error with the reason`(
        fault: String, reason: String
    ) throws {
        // s_server itself is content with keys and signatures that no one should accept.
        let server = try TLSServer(
            certificate: ["--fault", fault], options: ["-cipher", "ALL:@SECLEVEL=0"])
        let proxy = try server.trustingDaemon()
        let outcome = try proxy.curl("-w", "\n%{http_code}", server.url)
        #expect(outcome.text.hasSuffix("\n502"), "\(outcome)")
        #expect(outcome.text.contains(reason), "\(outcome.text)")
        #expect(outcome.text.contains("add the file of its CA to tls.extra_ca_files"))
        let row = try proxy.row()
        #expect(row.text("state") == "failed")
        #expect(row.text("error")?.contains(reason) == true, "\(row.object)")
        #expect(row.text("error")?.hasPrefix("upstream certificate") == true, "\(row.object)")
    }
}

/// `openssl s_server`, with a certificate made for it; see Servers/certificates.py for what may be
/// wrong with that one. Answers GET with a page of its own.
final class TLSServer {
    /// Whether what it takes is installed.
    static let isAvailable: Bool = {
        guard Tool.find("openssl") != nil else { return false }
        let probe = try? Tool.run("/usr/bin/python3", ["-c", "from cryptography.x509 import ocsp"])
        return probe?.status == 0
    }()

    let port: Int
    private let directory: ScratchFolder
    private let service: Service

    /// `certificate` are options of certificates.py, `options` those of s_server.
    init(certificate: [String] = [], options: [String] = []) throws {
        directory = try ScratchFolder()
        let path = directory.path
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/certificates.py").path
        let made = try Tool.run(
            "/usr/bin/python3", ["-W", "ignore", script, path] + certificate)
        guard made.status == 0 else { throw Tool.Failure(description: made.errors) }
        var arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", path + "/chain.pem",
            "-cert_chain", path + "/chain.pem", "-key", path + "/leaf.key",
        ]
        if FileManager.default.fileExists(atPath: path + "/status.der") {
            arguments += ["-status_file", path + "/status.der"]
        }
        service = try Service(Tool.find("openssl") ?? "", arguments + options)
        while true {
            let line = try service.readLine()
            guard line.hasPrefix("ACCEPT") else { continue }
            port = Int(line.split(separator: ":").last ?? "") ?? 0
            return
        }
    }

    var url: String { "https://localhost:\(port)/" }

    /// A daemon that trusts the root which its certificates should come from.
    func trustingDaemon() throws -> Daemon {
        try Daemon(
            configuration: "[tls]\nextra_ca_files = [\"\(directory.path)/root.pem\"]\n")
    }
}

/// What issuers say of certificates, stapled to them (OCSP), is looked at.
@Suite(
    .enabled(
        if: TLSServer.isAvailable, "openssl or python3-cryptography is not installed"))
struct StapledStatusTests {
    private func answer(
        _ status: String, demandsStatus: Bool, tls: String = "1_3"
    ) throws -> String {
        let server = try TLSServer(
            certificate: ["--status", status] + (demandsStatus ? ["--must-staple"] : []),
            options: ["-tls\(tls)"])
        let proxy = try server.trustingDaemon()
        let outcome = try proxy.curl("-w", "\n%{http_code}", server.url)
        let row = try proxy.row()
        #expect(row.int("status") == Int(outcome.text.suffix(3)))
        return outcome.text
    }

    @Test(arguments: [
        "good", "expired", "open", "open-old", "stranger", "other", "garbage", "none",
    ])
    func `without must-staple, a certificate is accepted unless its stapled OCSP says revoked`(
        status: String
    ) throws {
        #expect(try answer(status, demandsStatus: false).hasSuffix("\n200"))
    }

    @Test(arguments: ["revoked", "delegated"], ["1_2", "1_3"])
    func `a server certificate is rejected if its stapled OCSP response says revoked`(
        status: String, tls: String
    ) throws {
        let answer = try answer(status, demandsStatus: false, tls: tls)
        #expect(answer.hasSuffix("\n502"))
        #expect(answer.contains("certificate was revoked on 2024-01-02"), "\(answer)")
    }

    @Test(arguments: ["expired", "open-old", "stranger", "other", "garbage", "none"])
    func `a must-staple certificate is rejected without a valid OCSP response`(
        status: String
    ) throws {
        let answer = try answer(status, demandsStatus: true)
        #expect(answer.hasSuffix("\n502"))
        #expect(answer.contains("must-staple"), "\(answer)")
    }

    @Test
    func `a recent OCSP response without nextUpdate is accepted for a must-staple certificate`()
        throws
    {
        #expect(try answer("open", demandsStatus: true).hasSuffix("\n200"))
    }

    @Test(arguments: ["1_2", "1_3"])
    func `a must-staple certificate with a good OCSP response is accepted`(tls: String) throws {
        #expect(try answer("good", demandsStatus: true, tls: tls).hasSuffix("\n200"))
    }
}
