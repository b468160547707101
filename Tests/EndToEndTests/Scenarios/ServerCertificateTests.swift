import Foundation
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
        let row = try proxy.row()
        #expect(row.text("state") == "failed")
        #expect(row.text("error")?.contains(reason) == true, "\(row.object)")
        #expect(row.text("error")?.hasPrefix("upstream certificate") == true, "\(row.object)")
    }
}
