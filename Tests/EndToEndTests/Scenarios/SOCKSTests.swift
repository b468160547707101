import Foundation
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Real clients of a SOCKS listener.
@Suite(.timeLimit(.minutes(10)))
struct SOCKSTests {
    @Test(arguments: ["socks5h", "socks5", "socks4", "socks4a"])
    func `curl can use a SOCKS listener with each version of SOCKS`(scheme: String) throws {
        let origin = try Origin()
        let socks = try SOCKSDaemon()
        let sendsNames = ["socks5h", "socks4a"].contains(scheme)
        let host = sendsNames ? "localhost" : "name.test"
        let outcome = try socks.curl(
            scheme, "--resolve", "name.test:\(origin.port):127.0.0.1",
            "http://\(host):\(origin.port)/echo/a?b")
        #expect(outcome.text.contains("\"target\": \"/echo/a?b\""), "\(outcome)")
        let row = try socks.daemon.row()
        // A name that the client has resolved is not known.
        let recorded = sendsNames ? "localhost" : "127.0.0.1"
        #expect(row.text("url") == "http://\(recorded):\(origin.port)/echo/a?b")
        #expect(row.text("state") == "complete")
        let shown = try socks.daemon.show(row)
        #expect(shown.text("listener") == "socks")
        #expect(shown.text("mode") == "socks")
    }

    @Test(arguments: ["socks5h", "socks4a"])
    func `TLS through a SOCKS listener is intercepted with the proxy's CA`(scheme: String) throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let socks = try SOCKSDaemon(trusting: certificate)
        let outcome = try socks.curl(scheme, "-d", "secret", origin.url("/echo"))
        #expect(outcome.text.contains("\"method\": \"POST\""), "\(outcome)")
        let shown = try socks.daemon.show(try socks.daemon.row())
        #expect(shown.row("request")?.text("body_text") == "secret")
        #expect(shown.text("url") == origin.url("/echo"))
    }

    @Test(.enabled(if: HTTP2Origin.isAvailable, "nginx or curl with HTTP/2 is not installed"))
    func `HTTP/2 works through a SOCKS listener`() throws {
        let origin = try HTTP2Origin()
        let socks = try SOCKSDaemon(trusting: origin.certificate)
        let outcome = try socks.curl("socks5h", "--http2", "-i", origin.url("/"))
        #expect(outcome.text.hasPrefix("HTTP/2 200"), "\(outcome)")
        #expect(outcome.text.contains("HTTP/2.0 GET"))
        #expect(try socks.daemon.row().text("http_version") == "HTTP/2")
    }

    @Test
    func `a SOCKS listener rejects forbidden and unreachable targets with the right reply codes`()
        throws
    {
        let origin = try Origin()
        let socks = try SOCKSDaemon(
            """
            [forwarding]
            denied_target_networks = ["127.0.0.2"]
            connect_ports = ["\(origin.port)", "1"]
            """)
        let targets = [
            ("127.0.0.2:\(origin.port)", 2), ("127.0.0.1:25", 2), ("127.0.0.1:1", 5),
            ("nowhere.invalid:1", 4),
        ]
        for (target, reply) in targets {
            let outcome = try socks.curl("socks5h", "http://\(target)/")
            #expect(outcome.status == 97, "\(target) \(outcome)")
            #expect(outcome.errors.contains("(\(reply))"), "\(target) \(outcome.errors)")
        }
        let rows = try socks.daemon.rows(count: targets.count)
        #expect(rows.allSatisfy { $0.text("state") == "failed" && $0.text("method") == "CONNECT" })
        #expect(try socks.curl("socks5h", origin.url("/echo")).status == 0)
        #expect(try socks.curl("socks4a", "http://127.0.0.1:25/").errors.contains("(91)"))
    }

    @Test func `a SOCKS listener refuses connections to the proxy itself`() throws {
        let socks = try SOCKSDaemon()
        for port in [socks.port, socks.daemon.port] {
            for host in ["localhost", "127.0.0.1", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]"] {
                let outcome = try socks.curl("socks5h", "http://\(host):\(port)/")
                #expect(outcome.errors.contains("(2)"), "\(host):\(port) \(outcome)")
            }
        }
    }

    @Test func `an HTTP proxy request to a SOCKS listener gets a 400 that mentions SOCKS`() throws {
        let socks = try SOCKSDaemon()
        let outcome = try socks.curl("http", "-i", "http://localhost/")
        #expect(outcome.text.hasPrefix("HTTP/1.1 400 "), "\(outcome)")
        #expect(outcome.text.contains("SOCKS"))
        let row = try socks.daemon.row()
        #expect(row.text("error")?.contains("does not speak SOCKS") == true, "\(row)")
    }

    @Test func `rules apply to the traffic of a SOCKS listener`() throws {
        let origin = try ReplayOrigin()
        let socks = try SOCKSDaemon(
            rules: """
                [[rule]]
                name = "mark"
                when = 'host=localhost'
                request = [{ set = "header:X-Env", value = "staging" }]
                response = [{ set = "status", value = 418 }]
                [[rule]]
                name = "no"
                when = 'host=ads.test'
                connect = [{ block = 403 }]
                [[rule]]
                name = "there"
                when = 'host=nowhere.test'
                connect = [{ resolve = "127.0.0.1" }]

                """)
        let authority = "localhost:\(origin.port)"
        let marked = try socks.curl(
            "socks5h", "-o", "/dev/null", "-w", "%{http_code}", "http://\(authority)/")
        #expect(marked.text == "418", "\(marked)")
        #expect(try origin.nextRequest().contains("\r\nX-Env: staging\r\n"))
        let blocked = try socks.curl("socks5h", "http://ads.test/")
        #expect(blocked.errors.contains("(2)"), "\(blocked)")
        let resolved = try socks.curl("socks5h", "http://nowhere.test:\(origin.port)/")
        #expect(resolved.text == "ok", "\(resolved)")
    }

    // MARK: Other protocols and programs

    @Test func `a protocol in which the server sends first works through a SOCKS listener`() throws
    {
        let server = try Service(
            "/usr/bin/python3",
            [
                "-c",
                """
                import socket, sys
                server = socket.create_server(('127.0.0.1', 0))
                print(server.getsockname()[1], flush=True)
                connection, _ = server.accept()
                connection.sendall(b'220 ready\\r\\n')
                connection.sendall(connection.makefile('rb').readline().upper())
                connection.close()
                sys.stdin.read()
                """,
            ])
        let port = try #require(Int(try server.readLine()))
        let socks = try SOCKSDaemon()
        let client = try RawClient(port: socks.port)
        client.send([5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, UInt8(port >> 8), UInt8(port & 0xFF)])
        #expect(try client.read(until: "220 ready\r\n").hasSuffix("220 ready\r\n"))
        client.send("quit\r\n")
        #expect(client.readToEnd() == "QUIT\r\n")
        client.close()
        let row = try socks.daemon.row()
        #expect(row.text("state") == "tunnel")
        #expect(row.text("method") == "CONNECT")
    }

    @Test(.enabled(if: SSHServer.isAvailable, "ssh, sshd or nc is not installed"))
    func `ssh works through a SOCKS listener`() throws {
        let server = try SSHServer()
        let socks = try SOCKSDaemon()
        let data = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let outcome = try server.run(
            "cat", by: "nc -X 5 -x 127.0.0.1:\(socks.port) %h %p", input: data)
        #expect(outcome.output == data, "\(outcome.errors)")
        let row = try socks.daemon.row()
        #expect(row.text("state") == "tunnel")
        #expect(row.text("url")?.contains("localhost:\(server.port)") == true, "\(row)")
    }

    @Test(.enabled(if: Browser.isAvailable, "Chromium is not installed"))
    func `Chromium loads pages through a SOCKS listener`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let socks = try SOCKSDaemon(trusting: certificate)
        let browser = try Browser(
            origin.url("/page/browser.html"), at: "socks5://127.0.0.1:\(socks.port)")
        let report = try socks.daemon.row("method=POST path=/report")
        #expect(report.text("url") == origin.url("/report"))
        #expect(try socks.daemon.row("proto:ws path=/ws-echo").int("messages") == 6)
        withExtendedLifetime(browser) {}
    }

    /// Whether Java can run a program from its source.
    private static let hasJava: Bool = {
        let modules = (try? Tool.run("java", ["--list-modules"]))?.text
        return modules?.contains("jdk.compiler") == true
    }()

    @Test(.enabled(if: hasJava, "a JDK is not installed"))
    func `Java uses a SOCKS listener set in the properties socksProxyHost and socksProxyPort`()
        throws
    {
        let origin = try Origin()
        let socks = try SOCKSDaemon()
        let directory = try ScratchFolder()
        let source = directory.path + "/Get.java"
        try """
        public class Get {
            public static void main(String[] arguments) throws Exception {
                var connection = new java.net.URL(arguments[0]).openConnection();
                System.out.write(connection.getInputStream().readAllBytes());
                System.out.flush();
            }
        }
        """.write(toFile: source, atomically: true, encoding: .utf8)
        let outcome = try Tool.run(
            "java",
            [
                "-DsocksProxyHost=127.0.0.1", "-DsocksProxyPort=\(socks.port)",
                "-Dhttp.nonProxyHosts=", source, origin.url("/echo/java"),
            ])
        #expect(outcome.text.contains("/echo/java"), "\(outcome.errors)")
        #expect(try socks.daemon.row("path=/echo/java").text("state") == "complete")
    }

    @Test(.enabled(if: Tool.find("apt-get") != nil, "apt is not installed"))
    func `apt updates its package lists through a SOCKS listener`() throws {
        let root = try ScratchFolder()
        try """
        Package: proxyd-sample
        Version: 1.0
        Architecture: all
        Maintainer: A <a@example.test>
        Filename: ./none.deb
        Size: 1
        SHA256: \(String(repeating: "0", count: 64))
        Description: nothing

        """.write(toFile: root.path + "/Packages", atomically: true, encoding: .utf8)
        let origin = try Origin(root: root.path)
        let socks = try SOCKSDaemon()
        let own = try ScratchFolder()
        for folder in ["state/lists/partial", "cache/archives/partial", "etc"] {
            try FileManager.default.createDirectory(
                atPath: "\(own.path)/\(folder)", withIntermediateDirectories: true)
        }
        try "deb [trusted=yes] http://localhost:\(origin.port)/dir/ ./\n".write(
            toFile: own.path + "/etc/sources.list", atomically: true, encoding: .utf8)
        try "".write(toFile: own.path + "/status", atomically: true, encoding: .utf8)
        let options = [
            "Dir::Etc=\(own.path)/etc", "Dir::State=\(own.path)/state",
            "Dir::State::status=\(own.path)/status", "Dir::Cache=\(own.path)/cache",
            "APT::Sandbox::User=", "Acquire::AllowInsecureRepositories=true",
            "Acquire::Languages=none", "APT::Architecture=amd64",
            "Acquire::http::Proxy=socks5h://127.0.0.1:\(socks.port)",
        ].flatMap { ["-o", $0] }
        let update = try Tool.run("apt-get", options + ["update"], seconds: 120)
        #expect(update.status == 0, "\(update.errors)")
        let known = try Tool.run("apt-cache", options + ["show", "proxyd-sample"])
        #expect(known.text.contains("Version: 1.0"), "\(known) \(update)")
        let rows = try socks.daemon.rows("path:Packages status=200", count: 1)
        #expect(rows.first?.text("host") == "localhost", "\(rows)")
    }
}

/// sshd on loopback, with keys of its own, and a client that trusts them.
final class SSHServer {
    /// Whether OpenSSH is there, and a netcat that speaks SOCKS.
    static let isAvailable: Bool = {
        guard Tool.find("sshd") != nil, Tool.find("ssh") != nil, Tool.find("nc") != nil else {
            return false
        }
        return (try? Tool.run("nc", ["-h"]))?.errors.contains("-X") == true
    }()

    let port: Int
    private let directory: ScratchFolder
    private let service: Service

    /// Starts an sshd for each connection, because sshd itself does not choose a free port.
    private static let script = """
        import os, socket, subprocess, sys, threading
        server = socket.create_server(('127.0.0.1', 0))
        print(server.getsockname()[1], flush=True)
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        while True:
            connection, _ = server.accept()
            subprocess.Popen(sys.argv[1:], stdin=connection, stdout=connection)
            connection.close()
        """

    init() throws {
        directory = try ScratchFolder()
        let path = directory.path
        for name in ["host", "user"] {
            let made = try Tool.run(
                "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(path)/\(name)"])
            guard made.status == 0 else { throw Tool.Failure(description: made.errors) }
        }
        try """
        HostKey \(path)/host
        AuthorizedKeysFile \(path)/user.pub
        StrictModes no
        UsePAM no
        PermitRootLogin yes
        PidFile none

        """.write(toFile: path + "/sshd_config", atomically: true, encoding: .utf8)
        let sshd = [Tool.find("sshd") ?? "", "-i", "-e", "-f", path + "/sshd_config"]
        // As root, it wants a folder that the system makes when it starts sshd.
        let own = [
            "unshare", "-m", "sh", "-c",
            "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec \"$@\"", "sh",
        ]
        service = try Service(
            "/usr/bin/python3", ["-c", Self.script] + (getuid() == 0 ? own : []) + sshd)
        port = Int(try service.readLine()) ?? 0
    }

    /// Runs a command over ssh, which reaches the server by another command.
    func run(_ command: String, by proxyCommand: String, input: Data) throws -> Tool.Outcome {
        try Tool.run(
            "ssh",
            [
                "-F", "none", "-i", directory.path + "/user", "-p", String(port),
                "-o", "ProxyCommand=\(proxyCommand)", "-o", "BatchMode=yes",
                "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                "-o", "IdentitiesOnly=yes", "localhost", command,
            ], input: input, seconds: 60)
    }
}
