import Foundation
import Testing

/// Servers that the configuration forbids.
struct DeniedTargetTests {
    private func status(_ proxy: Daemon, _ request: String) throws -> String {
        let client = try RawClient(port: proxy.port)
        client.send(request + "\r\nConnection: close\r\n\r\n")
        return String((client.readToEnd() ?? "").dropFirst(9).prefix(3))
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "[::ffff:127.0.0.1]",
    ])
    func `a request to a denied target address gets a 403, in whatever notation it is written`(
        host: String
    ) throws {
        let origin = try Origin()
        let proxy = try Daemon(
            configuration: """
                [forwarding]
                denied_target_networks = ["127.0.0.0/8", "::1"]
                """)
        let authority = "\(host):\(origin.port)"
        #expect(try status(proxy, "GET http://\(authority)/ HTTP/1.1\r\nHost: x") == "403")
        #expect(try status(proxy, "CONNECT \(authority) HTTP/1.1\r\nHost: x") == "403")
        let rows = try proxy.rows(count: 2)
        #expect(rows.allSatisfy { $0.text("error")?.contains("is not allowed: ") == true })
    }

    @Test func `by default, requests to link-local addresses such as cloud metadata get a 403`()
        throws
    {
        let proxy = try Daemon()
        let target = "http://169.254.169.254/latest/meta-data/"
        #expect(try status(proxy, "GET \(target) HTTP/1.1\r\nHost: x") == "403")
        #expect(try status(proxy, "GET http://[fe80::1]/ HTTP/1.1\r\nHost: x") == "403")
    }

    @Test func `denied target networks changed by a reload apply to new requests`() throws {
        let origin = try Origin()
        let proxy = try Daemon(configuration: "")
        #expect(try status(proxy, "GET \(origin.url("/")) HTTP/1.1\r\nHost: x") == "200")
        try proxy.reload(
            "[forwarding]\ndenied_target_networks = [\"127.0.0.1\"]\n",
            until: "configuration reloaded")
        let other = try Origin()
        #expect(try status(proxy, "GET \(other.url("/")) HTTP/1.1\r\nHost: x") == "403")
    }
}
