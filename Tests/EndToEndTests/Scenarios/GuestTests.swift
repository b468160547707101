import Foundation
import Testing

/// Clients from other addresses than the machine's loopback ones.
@Suite(.enabled(if: Network.isAvailable, "no network of one's own can be made here"))
struct GuestTests {
    @Test(arguments: [("0.0.0.0", "10.77.0"), ("[::]", "fd77:")])
    func `clients in the allowed networks are served, other clients are disconnected`(
        listen: String, network: String
    ) throws {
        let separator = network.contains(":") ? ":" : "."
        let address = { (number: Int) in "\(network)\(separator)\(number)" }
        let proxy = try Daemon(
            configuration: """
                [listen]
                allowed_client_networks = ["\(address(2))"]
                """,
            listen: listen, launcher: Network.launcher)
        let own = network.contains(":") ? "[\(address(1))]" : address(1)
        #expect(try answer(of: proxy, to: address(2), at: own) == "200")
        #expect(try answer(of: proxy, to: address(3), at: own) == "000")
        #expect(try answer(of: proxy, to: address(2), at: own) == "200")
    }

    @Test func `each listener has its own allowed client networks, and a reload changes them`()
        throws
    {
        let configuration = { (guest: Int) in
            """
            [[listener]]
            address = "10.77.0.1:0"
            allowed_client_networks = ["10.77.0.\(guest)"]
            """
        }
        let proxy = try Daemon(configuration: configuration(2), launcher: Network.launcher)
        let line = try proxy.service.readLine()
        let prefix = "proxyd: listening on 10.77.0.1:"
        let port = try #require(line.hasPrefix(prefix) ? Int(line.dropFirst(prefix.count)) : nil)
        func statuses() throws -> [String] {
            try [2, 3].map { try answer(of: proxy, to: "10.77.0.\($0)", at: "10.77.0.1", port) }
        }
        #expect(try statuses() == ["200", "000"])
        // The other listener is for this machine alone.
        #expect(try answer(of: proxy, to: "127.0.0.1", at: "127.0.0.1") == "200")
        #expect(try answer(of: proxy, to: "10.77.0.2", at: "127.0.0.1") == "000")
        try proxy.reload(configuration(3), until: "listener: ")
        #expect(try statuses() == ["000", "200"])
    }

    /// The status that a client at an address gets for the proxy's own page; 000 where it gets
    /// none.
    private func answer(
        of proxy: Daemon, to client: String, at address: String, _ port: Int? = nil
    ) throws -> String {
        let curl = [
            "curl", "-sS", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}",
            "--interface", client, "-x", "http://\(address):\(port ?? proxy.port)",
            "http://proxyd.local/",
        ]
        let enter = ["--preserve-credentials", "-U", "-n", "-t", String(proxy.service.pid)]
        let outcome = try Tool.run("nsenter", enter + curl)
        // 28 is silence until the time is over.
        return outcome.status == 28 ? "silence" : outcome.text
    }
}

/// A network of one's own in which the machine has several addresses.
private enum Network {
    /// A command that becomes another one in it.
    static let launcher: [String] = {
        let addresses = (1...3).flatMap { ["10.77.0.\($0)/32", "fd77::\($0)/128"] }
        let commands = addresses.map { " && ip addr add \($0) dev lo" }.joined()
        return [
            "/usr/bin/env", "unshare", "-rn", "/bin/sh", "-c",
            "ip link set lo up\(commands) && exec \"$@\"", "sh",
        ]
    }()

    static let isAvailable =
        (try? Tool.run(launcher[0], launcher.dropFirst() + ["/bin/sh", "-c", "exit 7"]))?.status
        == 7
}
