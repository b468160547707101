import Foundation
import Testing

/// The proxy does not connect to itself, however it is called.
struct LoopTests {
    /// Spellings that the system resolves to the address we listen on.
    private static let own = [
        "127.0.0.1", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7F.1", "0x7f000001",
        "2130706433", "017700000001", "127.0.0x1", "127.0.0.01", "0.0.0.0", "0", "0x0", "0.0",
        "00.0.0.0", "localhost", "LOCALHOST", "LocalHost", "[::ffff:127.0.0.1]",
        "[::FFFF:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
        "[0000:0000:0000:0000:0000:ffff:7f00:0001]", "[::ffff:0.0.0.0]", "[::ffff:0:0]",
        "localhost.", "127.0.0.1.", "app.localhost", "App.Localhost.",
    ]
    /// Spellings that other systems take for it; here they may lead nowhere, but never back.
    private static let others = [
        "[::]", "[0:0:0:0:0:0:0:0]", "[::1]", "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]", "127.0.0.2", "127.255.255.254", "127.000.000.001",
        "%31%32%37.0.0.1", "ip6-localhost", "localhost.localdomain", "256.0.0.1", "1e0.0.0.1",
        "127.0.0.1%00",
    ]

    @Test func `the proxy never forwards a request to itself, whatever notation its address has`()
        throws
    {
        let proxy = try Daemon()
        for host in Self.own + Self.others {
            // Where our own page answers, a request has come back.
            let allowed = Self.own.contains(host) ? ["508"] : ["400", "502", "504", "508"]
            for answer in try answers(of: proxy, for: host) {
                let status = String(answer.dropFirst(9).prefix(3))
                #expect(allowed.contains(status), "\(host) \(answer)")
            }
        }
        let requests = 2 * (Self.own.count + Self.others.count)
        #expect(try proxy.rows(count: requests).count == requests)
    }

    @Test(.enabled(if: !interfaces.isEmpty, "no interface but the loopback has an address"))
    func `a listener on all addresses rejects requests to itself at any address of the machine`()
        throws
    {
        let proxy = try Daemon(
            configuration: "[listen]\nallowed_client_networks = [\"127.0.0.1\"]\n",
            listen: "0.0.0.0")
        for host in Self.interfaces + ["127.0.0.1", "127.9.9.9", "localhost", "0.0.0.0"] {
            for answer in try answers(of: proxy, for: host) {
                #expect(answer.hasPrefix("HTTP/1.1 508 "), "\(host) \(answer)")
            }
        }
        // No one's address: the kernel says so immediately, after the proxy has asked it.
        for answer in try answers(of: proxy, for: "255.255.255.255") {
            #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
        }
    }

    /// The addresses of this machine's interfaces, those of the loopback and of links left out.
    private static let interfaces: [String] = {
        let text = (try? Tool.run("hostname", ["-I"]))?.text ?? ""
        return text.split(whereSeparator: \.isWhitespace).map { address in
            address.contains(":") ? "[\(address)]" : String(address)
        }
    }()

    /// What a proxy answers when it is asked for its own port of a host, and for a tunnel there.
    private func answers(of proxy: Daemon, for host: String) throws -> [String] {
        let authority = "\(host):\(proxy.port)"
        return try [
            "GET http://\(authority)/loop HTTP/1.1\r\nHost: elsewhere\r\n",
            "CONNECT \(authority) HTTP/1.1\r\nHost: elsewhere\r\n",
        ].map { request in
            let client = try RawClient(port: proxy.port)
            client.send(request + "Connection: close\r\n\r\n")
            return client.readToEnd() ?? ""
        }
    }
}
