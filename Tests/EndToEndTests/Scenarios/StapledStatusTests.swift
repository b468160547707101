import Foundation
import Testing

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
    func `without must-staple, a stapled OCSP response is accepted unless it says revoked`(
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
