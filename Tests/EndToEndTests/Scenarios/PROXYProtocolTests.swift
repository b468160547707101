import Foundation
import ProxydTestSupport
import Testing

/// Listeners behind a load balancer that sends PROXY headers.
@Suite(.timeLimit(.minutes(5)))
struct PROXYProtocolTests {
    /// A daemon with one listener that expects headers, and the port of that one.
    private func daemon(
        _ keys: String = "", trusted: String = "127.0.0.1", configuration: String = ""
    ) throws -> (proxy: Daemon, port: Int) {
        let proxy = try Daemon(
            configuration: configuration + """

                [[listener]]
                name = "behind"
                address = "127.0.0.1:0"
                proxy_protocol = true
                trusted = ["\(trusted)"]
                \(keys)

                """)
        return (proxy, try proxy.nextPort())
    }

    private static let versions = ["send-proxy", "send-proxy-v2", "send-proxy-v2-ssl-cn"]

    @Test(
        .enabled(if: HAProxy.isAvailable, "haproxy is not installed"), arguments: versions)
    func `a proxy listener accepts clients that HAProxy announces in PROXY headers`(version: String)
        throws
    {
        let origin = try Origin()
        let (proxy, port) = try daemon()
        let balancer = try HAProxy(before: port, version)
        let outcome = try proxy.plainCurl([
            "-x", "http://127.0.0.1:\(balancer.port)", origin.url("/echo"),
        ])
        #expect(outcome.text.contains("\"method\": \"GET\""), "\(outcome)")
        let row = try proxy.row()
        #expect(row.text("state") == "complete")
        let shown = try proxy.show(row)
        #expect(shown.text("listener") == "behind")
        #expect(shown.text("original_address") == "127.0.0.1:\(balancer.port)")
        let peer = try #require(shown.text("proxy_protocol_peer"))
        #expect(peer.hasPrefix("127.0.0.1:"))
        #expect(peer != shown.text("client_address"))
    }

    @Test(
        .enabled(if: HAProxy.isAvailable, "haproxy is not installed"), arguments: versions)
    func `a SOCKS listener accepts clients that HAProxy announces in PROXY headers`(version: String)
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let (proxy, port) = try daemon(
            "mode = \"socks\"",
            configuration: "[tls]\nextra_ca_files = [\"\(certificate.certificatePath)\"]\n")
        let balancer = try HAProxy(before: port, version)
        let outcome = try proxy.plainCurl([
            "-x", "socks5h://127.0.0.1:\(balancer.port)", origin.url("/echo"),
        ])
        #expect(outcome.text.contains("\"method\": \"GET\""), "\(outcome)")
    }

    @Test(
        .enabled(if: HAProxy.isAvailable, "haproxy is not installed"), arguments: versions)
    func `a reverse listener with TLS accepts clients that HAProxy announces in PROXY headers`(
        version: String
    ) throws {
        let origin = try Origin()
        let (proxy, port) = try daemon(
            "mode = \"reverse\"\nto = \"\(origin.url(""))\"\ntls = true")
        let balancer = try HAProxy(before: port, version)
        let outcome = try proxy.plainCurl(["https://localhost:\(balancer.port)/echo"])
        #expect(outcome.text.contains("\"method\": \"GET\""), "\(outcome)")
    }

    private static let header = "PROXY TCP4 192.0.2.1 198.51.100.1 51234 443\r\n"
    private static let request =
        "GET http://proxyd.local/ HTTP/1.1\r\nHost: proxyd.local\r\n"
        + "Connection: close\r\n\r\n"

    @Test func `a PROXY header from an address that is not trusted is rejected and recorded`()
        throws
    {
        let (proxy, port) = try daemon(trusted: "192.0.2.7")
        let answer = try Daemon.answer(at: port, to: Array((Self.header + Self.request).utf8))
        #expect((answer ?? "").isEmpty)
        let row = try proxy.row()
        #expect(row.text("error")?.contains("not trusted") == true, "\(row)")
        // The header of a listener that expects none is no request.
        let other = try Daemon.answer(
            at: proxy.port, to: Array((Self.header + Self.request).utf8))
        #expect(other?.hasPrefix("HTTP/1.1 400 ") == true, "\(other ?? "")")
    }

    @Test func `a connection without the expected PROXY header is closed and recorded`() throws {
        let (proxy, port) = try daemon()
        #expect((try Daemon.answer(at: port, to: Array(Self.request.utf8)) ?? "").isEmpty)
        let row = try proxy.row()
        #expect(row.text("error")?.contains("no PROXY header") == true, "\(row)")
        let answer = try Daemon.answer(at: port, to: Array((Self.header + Self.request).utf8))
        #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer ?? "")")
    }

    // MARK: Headers that are sent

    /// A daemon with a reverse listener before HAProxy, and the port of that one.
    private func daemon(
        before server: HAProxy, scheme: String, version: Int, _ keys: String = "",
        configuration: String = "", trusting certificate: TestCertificate
    ) throws -> (proxy: Daemon, port: Int) {
        let proxy = try Daemon(
            trusting: certificate,
            configuration: """
                [[listener]]
                name = "front"
                mode = "reverse"
                address = "127.0.0.1:0"
                to = "\(scheme)://localhost:\(server.port)"
                send_proxy_protocol = \(version)
                \(keys)
                \(configuration)

                """)
        return (proxy, try proxy.nextPort())
    }

    @Test(
        .enabled(if: HAProxy.isAvailable, "haproxy is not installed"),
        arguments: [(1, "http"), (2, "http"), (1, "https"), (2, "https")])
    func `a reverse listener sends the addresses of its clients to HAProxy in PROXY headers`(
        version: Int, scheme: String
    ) throws {
        let certificate = try TestCertificate()
        let server = try HAProxy(answeringOver: scheme == "https" ? certificate : nil)
        let (proxy, port) = try daemon(
            before: server, scheme: scheme, version: version, trusting: certificate)
        let url = "http://127.0.0.1:\(port)/"
        var seen: [String] = []
        for _ in 0..<2 {
            // Both requests of a client connection may use one server connection.
            let outcome = try proxy.plainCurl([url, url])
            let lines = outcome.text.split(separator: "\n").map(String.init)
            #expect(lines.count == 2 && Set(lines).count == 1, "\(outcome)")
            seen += lines.prefix(1)
        }
        let rows = try proxy.rows(count: 4)
        let clients = try [rows[0], rows[2]].map { try proxy.show($0).text("client_address") }
        #expect(seen == clients.map { "\($0 ?? "") 127.0.0.1:\(port)" })
        #expect(Set(clients).count == 2)
    }

    @Test(
        .enabled(if: HAProxy.isAvailable, "haproxy is not installed"), arguments: ["http", "https"])
    func `addresses in a client's PROXY header are also passed on through an upstream proxy`(
        scheme: String
    ) throws {
        let certificate = try TestCertificate()
        let upstream = try UpstreamServer()
        let server = try HAProxy(answeringOver: scheme == "https" ? certificate : nil)
        let (proxy, port) = try daemon(
            before: server, scheme: scheme, version: 2,
            "proxy_protocol = true\ntrusted = [\"127.0.0.1\"]",
            configuration:
                "[[upstream]]\nname = \"corp\"\nurl = \"http://127.0.0.1:\(upstream.port)\"",
            trusting: certificate)
        let request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        let answer = try Daemon.answer(at: port, to: Array((Self.header + request).utf8))
        #expect(
            answer?.hasSuffix("\r\n\r\n192.0.2.1:51234 198.51.100.1:443\n") == true,
            "\(answer ?? "") \(proxy.service.errors)")
        #expect(try upstream.request() == "CONNECT localhost:\(server.port) - 1 -")
    }

    @Test(.enabled(if: HAProxy.isAvailable, "haproxy is not installed"))
    func `the client gets a 502 if the server expects a PROXY header and proxyd sends none`() throws
    {
        let certificate = try TestCertificate()
        let server = try HAProxy(answeringOver: nil)
        let proxy = try Daemon(trusting: certificate)
        let outcome = try proxy.curl("-w", "%{http_code}", "http://localhost:\(server.port)/")
        #expect(outcome.text.hasSuffix("502"), "\(outcome)")
    }
}

/// HAProxy, before a listener or as a server that expects PROXY headers.
private final class HAProxy {
    static let isAvailable = Tool.find("haproxy") != nil

    let port: Int
    private let directory: ScratchFolder
    private let service: Service

    /// It takes over a socket that is bound already, because it does not say which port is free.
    private static let script = """
        import os, socket, sys
        listener = socket.create_server(('127.0.0.1', 0))
        os.dup2(listener.fileno(), 9, inheritable=True)
        print(listener.getsockname()[1], flush=True)
        os.execvp(sys.argv[1], [sys.argv[1], '-db', '-f', sys.argv[2]])
        """

    /// Before a listener, with an option of its server line.
    convenience init(before listener: Int, _ option: String) throws {
        try self.init(
            in: try ScratchFolder(),
            """
            mode tcp
            bind fd@9
            default_backend back
            backend back
            mode tcp
            server proxyd 127.0.0.1:\(listener) \(option)
            """)
    }

    /// A server that expects headers, and answers requests with the addresses in them.
    convenience init(answeringOver certificate: TestCertificate?) throws {
        let directory = try ScratchFolder()
        var options = "accept-proxy"
        if let certificate {
            let pem = directory.path + "/both.pem"
            try [certificate.certificatePath, certificate.keyPath]
                .map { try String(contentsOfFile: $0, encoding: .utf8) }
                .joined().write(toFile: pem, atomically: true, encoding: .utf8)
            options += " ssl crt \(pem)"
        }
        let text = "%[src]:%[src_port] %[dst]:%[dst_port]\\n"
        try self.init(
            in: directory,
            """
            mode http
            bind fd@9 \(options)
            http-request return status 200 content-type text/plain lf-string "\(text)"
            """)
    }

    private init(in directory: ScratchFolder, _ front: String) throws {
        self.directory = directory
        let file = directory.path + "/haproxy.cfg"
        try """
        global
            maxconn 100
        defaults
            timeout connect 10s
            timeout client 60s
            timeout server 60s
        frontend front
        \(front)

        """.write(toFile: file, atomically: true, encoding: .utf8)
        service = try Service(
            "/usr/bin/python3", ["-c", Self.script, Tool.find("haproxy") ?? "haproxy", file])
        port = Int(try service.readLine()) ?? 0
    }
}
