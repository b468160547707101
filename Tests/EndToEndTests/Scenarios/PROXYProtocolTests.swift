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
    func `HAProxy's clients are served by a proxy`(version: String) throws {
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
    func `HAProxy's clients are served by SOCKS`(version: String) throws {
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
    func `HAProxy's clients are served by a reverse listener with TLS`(version: String) throws {
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

    @Test func `a header from an address that is not trusted is refused and recorded`() throws {
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

    @Test func `nothing is guessed without a header`() throws {
        let (proxy, port) = try daemon()
        #expect((try Daemon.answer(at: port, to: Array(Self.request.utf8)) ?? "").isEmpty)
        let row = try proxy.row()
        #expect(row.text("error")?.contains("no PROXY header") == true, "\(row)")
        let answer = try Daemon.answer(at: port, to: Array((Self.header + Self.request).utf8))
        #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer ?? "")")
    }
}

/// HAProxy before a listener.
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

    init(before listener: Int, _ option: String) throws {
        directory = try ScratchFolder()
        let file = directory.path + "/haproxy.cfg"
        try """
        global
            maxconn 100
        defaults
            mode tcp
            timeout connect 10s
            timeout client 60s
            timeout server 60s
        frontend front
            bind fd@9
            default_backend back
        backend back
            server proxyd 127.0.0.1:\(listener) \(option)

        """.write(toFile: file, atomically: true, encoding: .utf8)
        service = try Service(
            "/usr/bin/python3", ["-c", Self.script, Tool.find("haproxy") ?? "haproxy", file])
        port = Int(try service.readLine()) ?? 0
    }
}
