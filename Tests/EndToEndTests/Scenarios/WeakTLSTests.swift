import Foundation
import ProxydTestSupport
import Testing

/// TLS that is known to be weak is spoken on neither side.
@Suite(.enabled(if: TLSServer.isAvailable, "openssl or python3-cryptography is not installed"))
struct WeakTLSTests {
    /// What makes `openssl` offer what it does not by itself.
    private static let lax = ":@SECLEVEL=0"

    @Test(arguments: [
        ["-tls1"], ["-tls1_1"], ["-tls1_2", "-cipher", "AES128-SHA" + lax],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA" + lax],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-NULL-SHA" + lax],
        ["-tls1_2", "-cipher", "AECDH-AES128-SHA" + lax],
    ])
    func `a request to a server that offers only weak TLS gets a 502`(options: [String]) throws {
        let isOld = !options.contains("-tls1_2")
        let server = try TLSServer(
            options: options + (isOld ? ["-cipher", "ALL" + Self.lax] : []))
        let proxy = try server.trustingDaemon()
        let outcome = try proxy.curl("-w", "\n%{http_code}", server.url)
        #expect(outcome.text.hasSuffix("\n502"), "\(outcome)")
        #expect(try proxy.row().text("error")?.contains("TLS with localhost:") == true)
    }

    /// A client's handshake with us, in a tunnel to a server that is never spoken to.
    private func handshake(_ proxy: Daemon, _ options: [String], input: String = "") throws
        -> String
    {
        let server = try Origin()
        let outcome = try Tool.run(
            "openssl",
            [
                "s_client", "-proxy", "127.0.0.1:\(proxy.port)", "-connect",
                "127.0.0.1:\(server.port)", "-servername", "weak.example", "-CAfile",
                proxy.certificatePath,
            ] + options, input: Data(input.utf8))
        return outcome.text + outcome.errors
    }

    @Test func `an intercepted client can verify proxyd's certificate, and TLS compression is off`()
        throws
    {
        let proxy = try Daemon()
        for version in ["-tls1_2", "-tls1_3"] {
            let talk = try handshake(proxy, [version])
            #expect(talk.contains("Verify return code: 0 (ok)"), "\(talk)")
            #expect(talk.contains("Compression: NONE"))
            #expect(talk.contains("Secure Renegotiation IS") || version == "-tls1_3")
        }
    }

    @Test(arguments: [
        ["-tls1", "-cipher", "ALL" + lax], ["-tls1_1", "-cipher", "ALL" + lax],
        ["-tls1_2", "-cipher", "AES128-SHA" + lax],
        ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA" + lax],
        ["-tls1_2", "-cipher", "NULL" + lax], ["-tls1_2", "-cipher", "aNULL" + lax],
    ])
    func `a client that offers only weak TLS is refused`(options: [String]) throws {
        let proxy = try Daemon()
        let talk = try handshake(proxy, options)
        #expect(talk.contains("Cipher is (NONE)"), "\(talk)")
        let row = try proxy.row("method=CONNECT")
        #expect(row.text("state") == "failed")
    }

    @Test func `a client cannot renegotiate an intercepted TLS connection`() throws {
        let talk = try handshake(Daemon(), ["-tls1_2"], input: "R\n")
        #expect(talk.contains("RENEGOTIATING"))
        #expect(talk.contains("no renegotiation"), "\(talk)")
    }
}

/// testssl.sh's verdict on the TLS that clients get from us.
@Suite(
    .enabled(if: Tool.find("testssl") != nil, "testssl.sh is not installed (package testssl.sh)"))
struct TestsslTests {
    private struct Finding: Decodable {
        let id: String
        let severity: String
        let finding: String
    }

    @Test func `testssl finds no weakness in the TLS that clients are offered`() throws {
        // It speaks TLS: another would wait for a line that ends in our hello, and may forever.
        let certificate = try TestCertificate()
        let proxy = try Daemon(trusting: certificate)
        let origin = try Origin(tls: certificate)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/tunnel.py").path
        let tunnel = try Service(
            Tool.find("python3") ?? "", [script, String(proxy.port), String(origin.port)])
        let port = try tunnel.readLine()
        let report = proxy.data.path + "/testssl.json"
        let outcome = try Tool.run(
            "testssl",
            [
                "--quiet", "--color", "0", "--warnings", "off", "--sneaky", "--openssl",
                Tool.find("openssl") ?? "", "--ip", "127.0.0.1", "-p", "-s", "-f", "-U",
                "--jsonfile", report, "localhost:\(port)",
            ])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: report))
        let findings = try JSONDecoder().decode([Finding].self, from: bytes)
        for wanted in ["TLS1_2", "TLS1_3", "PFS", "heartbleed", "RC4"] {
            #expect(findings.contains { $0.id == wanted }, "\(wanted): \(outcome.text)")
        }
        for finding in findings where !["OK", "INFO", "DEBUG"].contains(finding.severity) {
            // That its openssl(1) has no module for GOST says nothing of us.
            if finding.id == "engine_problem" { continue }
            Issue.record("\(finding.id) is \(finding.severity): \(finding.finding)")
        }
    }
}
