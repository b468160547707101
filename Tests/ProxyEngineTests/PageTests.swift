import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// The proxy's own pages.
struct PageTests {
    private static let pages = InfoPages(
        certificatePEM: [1, 2], certificateDER: [3], fingerprint: "AB:CD")

    @Test(
        arguments: [
            ("/ca.pem", [1, 2]), ("/ca.der", [3]), ("/ca.crt?x", [3]), ("/ca.cer", [3]),
        ] as [(String, [UInt8])])
    func `the proxy's page serves its CA certificate as PEM and DER downloads`(
        path: String, bytes: [UInt8]
    ) {
        let response = Self.pages.answer(method: .get, path: path, authority: nil)
        #expect(response.status == 200)
        #expect(response.body == bytes)
        #expect(response.fields.contains { $0 == "Content-Disposition" && $1.hasPrefix("attach") })
    }

    @Test func `a DELETE of the proxy's own page gets a 405 that allows GET and HEAD`() throws {
        let outcome = try Playbook.exchange(
            "DELETE http://proxyd.local/ca.pem HTTP/1.1\r\nHost: proxyd.local\r\n\r\n")
        #expect(outcome.status == 405)
        #expect(outcome.client.contains("Allow: GET, HEAD\r\n"))
    }

    @Test(arguments: ["192.168.1.2:3128", "[::1]:8080", "localhost:8080"])
    func `the served PAC script names the address at which the client reached the proxy`(
        authority: String
    ) throws {
        let response = Self.pages.answer(method: .get, path: "/proxy.pac", authority: authority)
        #expect(response.contentType == "application/x-ns-proxy-autoconfig")
        let script = String(decoding: response.body, as: UTF8.self)
        #expect(script.contains("return \"PROXY \(authority)\";"))
        #expect(script.contains("host == \"localhost\""))
    }

    @Test(arguments: ["a\";evil(\"", "a b", "", nil])
    func `a PAC script is not served for an invalid authority`(authority: String?) {
        let response = Self.pages.answer(method: .get, path: "/proxy.pac", authority: authority)
        #expect(response.status == 400)
    }

    @Test
    func `a PAC script fetched from proxyd.local names the proxy's address, not proxyd.local`()
        throws
    {
        let outcome = try Playbook.exchange(
            "GET http://proxyd.local/proxy.pac HTTP/1.1\r\nHost: proxyd.local\r\n\r\n")
        #expect(outcome.status == 200)
        #expect(!outcome.client.contains("PROXY proxyd.local"))
        #expect(outcome.client.contains("return \"PROXY "))
    }
}
