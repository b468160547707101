import Foundation
import Testing

/// Names that mean the machine itself (RFC 6761 §6.3), and names that end with a dot.
struct LoopbackNameTests {
    @Test(arguments: ["localhost", "localhost.", "app.localhost", "A.B.LOCALHOST."])
    func `a name under localhost reaches loopback, and Host is forwarded as the client wrote it`(
        name: String
    ) throws {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send(
            "GET http://\(name):\(origin.port)/x HTTP/1.1\r\nHost: \(name):\(origin.port)\r\n"
                + "Connection: close\r\n\r\n")
        let answer = try #require(client.readToEnd())
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        #expect(answer.contains("\"\(name):\(origin.port)\""), "\(answer)")
        #expect(try proxy.row().text("host") == name)
    }

    @Test
    func `the trailing dot of a host name is left out of the SNI and of certificate verification`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try proxy.curl("https://localhost.:\(origin.port)/x")
        #expect(outcome.status == 0, "\(outcome.errors)")
        _ = try proxy.row()
        let asked = try proxy.proxyctl([
            "sql", "--json",
            """
            SELECT c.sni AS name FROM exchange e
            JOIN connection c ON c.id = e.server_connection_id
            """,
        ])
        #expect(try Row(json: asked.text).text("name") == "localhost")
    }

    @Test(arguments: ["localhost", "localhost."])
    func `TLS settings for a host apply to its name with and without a trailing dot`(name: String)
        throws
    {
        // A certificate that no one trusts: only the exception lets it pass.
        let origin = try Origin(tls: try TestCertificate())
        let proxy = try Daemon(configuration: "[tls]\nunverified_hosts = [\"\(name)\"]\n")
        for asked in ["localhost", "localhost."] {
            let outcome = try proxy.curl("-w", "%{http_code}", "https://\(asked):\(origin.port)/x")
            #expect(outcome.text.hasSuffix("200"), "\(asked) \(outcome.errors)")
        }
        let relaying = try Daemon(configuration: "[tls]\npass_through = [\"\(name)\"]\n")
        for asked in ["localhost", "localhost."] {
            try relaying.curl("-k", "https://\(asked):\(origin.port)/x")
        }
        #expect(try relaying.rows(count: 2).map { $0.text("state") } == ["tunnel", "tunnel"])
    }
}
