import Foundation
import Testing

/// The names in CONNECT, in the client's hello and in Host, each the same, another or none.
struct NameMismatchTests {
    /// What a client says; nil where it says nothing.
    private struct Names {
        let connect: String
        let hello: String?
        let host: String?
    }

    private static let all: [Names] = ["localhost", "127.0.0.1", "nowhere.invalid"].flatMap {
        connect in
        ["localhost", "other.example", nil].flatMap { hello in
            ["localhost", "evil.example", nil].map {
                Names(connect: connect, hello: hello, host: $0)
            }
        }
    }

    /// One request of curl: what the hello names is its URL's host, an address for none. curl then
    /// wants a certificate for that address and gets one for what CONNECT named: hence `-k`.
    private func ask(_ proxy: Daemon, _ port: Int, _ names: Names, path: String) throws -> String {
        let url = "https://\(names.hello ?? "127.0.0.1"):\(port)\(path)"
        return try proxy.curl(
            "-k", "-o", "/dev/null", "-w", "%{http_code} %{http_connect}", "--connect-to",
            "::\(names.connect):\(port)", "-H", names.host.map { "Host: \($0)" } ?? "Host:", url
        ).text
    }

    @Test
    func `an intercepted request goes to the host in CONNECT, whatever its Host and SNI are`()
        throws
    {
        let certificate = try TestCertificate(
            names: "DNS:localhost,DNS:other.example,IP:127.0.0.1")
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        for (index, names) in Self.all.enumerated() {
            let path = "/headers/\(index)"
            let answer = try ask(proxy, origin.port, names, path: path)
            if names.connect == "nowhere.invalid" {
                // The reason comes inside TLS.
                #expect(answer == "502 200", "\(names)")
                continue
            }
            // HTTP/1.1 asks for a Host (RFC 9112 §3.2).
            #expect(answer == (names.host == nil ? "400 200" : "200 200"), "\(names)")
            guard let host = names.host else { continue }
            let row = try proxy.row("path=\(path)")
            #expect(row.text("host") == names.connect, "\(names)")
            let shown = try proxy.show(row)
            let fields = shown.row("request")?.pairs("headers") ?? []
            #expect(fields.contains(["Host", host]), "\(names)")
            let asked = try proxy.proxyctl([
                "sql", "--json",
                """
                SELECT c.sni AS name FROM exchange e
                JOIN connection c ON c.id = e.client_connection_id WHERE e.path = '\(path)'
                """,
            ])
            #expect(try Row(json: asked.text).text("name") == names.hello, "\(names)")
        }
    }

    @Test(arguments: ["192.0.2.9", "127.1", "0x7f000001", "2001:db8::9"])
    func `a client that sends an IP address as SNI gets a certificate for the host in CONNECT`(
        address: String
    ) throws {
        let certificate = try TestCertificate(names: "DNS:localhost")
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try Tool.run(
            "openssl",
            [
                "s_client", "-brief", "-proxy", "127.0.0.1:\(proxy.port)", "-connect",
                "localhost:\(origin.port)", "-servername", address, "-verify_hostname",
                "localhost", "-verify_return_error", "-CAfile", proxy.certificatePath,
            ], input: Data("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
        let said = outcome.text + outcome.errors
        #expect(said.contains("Peer certificate: O = proxyd, CN = localhost"), "\(said)")
        #expect(said.contains("Verified peername: localhost"), "\(said)")
    }

    @Test(arguments: ["localhost", "other.example", nil])
    func `an upstream certificate must match the client's SNI or, without SNI, the CONNECT host`(
        hello: String?
    ) throws {
        // With a name in the hello that one counts, else the one that CONNECT named.
        let certificate = try TestCertificate(names: "DNS:third.example")
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        let names = Names(connect: "127.0.0.1", hello: hello, host: "third.example")
        #expect(try ask(proxy, origin.port, names, path: "/") == "502 200")
        let error = try proxy.row("status=502").text("error") ?? ""
        #expect(error.contains("is for third.example, not \(hello ?? "127.0.0.1")"), "\(error)")
    }
}
