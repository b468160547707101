import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydTLS

/// The environment belongs to the whole process, so each test gets a process of its own.
@Suite struct TrustSourceTests {
    @Test func `CAs in the file named by SSL_CERT_FILE are trusted`() async {
        await #expect(processExitsWith: .success) {
            let issuer = try TestIssuer()
            setenv("SSL_CERT_FILE", issuer.directory.path + "/root.pem", 1)
            let duet = try issuer.duet(
                issuer.server("a.example"), wanting: .init(name: "a.example"),
                trust: TLSClientContext())
            duet.shakeHands()
            try #require(duet.isEstablished)
        }
    }

    @Test func `the error for an SSL_CERT_FILE that cannot be read names the file`() async {
        await #expect(processExitsWith: .success) {
            setenv("SSL_CERT_FILE", "/nonexistent/roots.pem", 1)
            let error = try #require(
                #expect(throws: TLSError.self) { try TLSClientContext() })
            try #require(error.message.contains("SSL_CERT_FILE names /nonexistent/roots.pem"))
        }
    }

    @Test func `CAs in an additional CA file named in the configuration are trusted`() throws {
        let issuer = try TestIssuer()
        let trust = try TLSClientContext(
            trust: .system(extraFiles: [issuer.directory.path + "/root.pem"]))
        let duet = try issuer.duet(
            issuer.server("a.example"), wanting: .init(name: "a.example"), trust: trust)
        duet.shakeHands()
        #expect(duet.isEstablished)
    }
}
