import Foundation
import ProxydTestSupport
import Testing

/// Squid, another program, as the upstream proxy.
@Suite(
    .enabled(if: Squid.isInstalled, "squid is not installed: scripts/install-dependencies --test"))
struct SquidTests {
    @Test(arguments: [Squid.Scheme.none, .basic, .digest])
    func `requests and tunnels can go through Squid as an upstream proxy`(scheme: Squid.Scheme)
        throws
    {
        let certificate = try TestCertificate()
        let (plain, secured) = (try Origin(), try Origin(tls: certificate))
        let squid = try Squid(scheme, tunnelsTo: secured.port)
        let more =
            scheme == .none ? "" : "user = \"me\"\npassword_file = \"SECRET\""
        let proxy = try Daemon(through: squid.url, trusting: certificate, more)
        for url in [plain.url("/a"), secured.url("/b"), plain.url("/c"), secured.url("/d")] {
            let outcome = try proxy.curl("-w", "%{http_code}", url)
            #expect(outcome.text.hasSuffix("200"), "\(url) \(outcome.text) \(outcome.errors)")
        }
        #expect(try proxy.rows(count: 4).allSatisfy { $0.int("status") == 200 })
    }

    @Test func `a tunnel that Squid refuses gets a 502 from proxyd without Squid's error page`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let squid = try Squid(.none, tunnelsTo: 1)
        let proxy = try Daemon(through: squid.url, trusting: certificate)
        let outcome = try proxy.curl("-i", origin.url("/"))
        #expect(outcome.text.hasPrefix("HTTP/1.1 502 "), "\(outcome.text)")
        #expect(!outcome.text.lowercased().contains("squid"))
        #expect(try proxy.row().text("error")?.contains("\"corp\" refused a tunnel") == true)
    }
}
