import Foundation
import ProxydTestSupport
import Testing

@testable import proxyctl

/// The firewall rules that `proxyctl transparent --print` prints.
struct TransparentCommandTests {
    private let folder = try? ScratchFolder()

    private func run(_ configuration: String, _ arguments: String...) throws -> CommandRun {
        let path = try #require(folder).path + "/proxyd.toml"
        try configuration.write(toFile: path, atomically: true, encoding: .utf8)
        return CommandRun(["transparent", "--config", path] + arguments)
    }

    private static func listener(_ address: String, _ more: String = "") -> String {
        "[[listener]]\naddress = \"\(address)\"\nmode = \"transparent\"\n\(more)\n"
    }

    private static let guests = "allowed_client_networks = [\"10.0.0.0/24\"]"

    @Test func `without a transparent listener, proxyctl transparent names the configuration file`()
        throws
    {
        let folder = try #require(folder)
        let environment = ["XDG_CONFIG_HOME": folder.path]
        let none = CommandRun(["transparent", "--print"], environment: environment)
        #expect(none.code == 78)
        #expect(none.errors.contains("there is no \(folder.path)/proxyd/proxyd.toml and no /etc/"))
        #expect(none.errors.contains("--config FILE"))
        let file = try folder.write("proxyd/proxyd.toml", "")
        let found = CommandRun(["transparent", "--print"], environment: environment)
        #expect(found.errors.contains("\(file): no listener has mode = \"transparent\""))
        #expect(found.errors.contains("--config FILE"))
        let named = CommandRun(["transparent", "--print", "--config", file])
        #expect(named.errors.contains("\(file): no listener") && !named.errors.contains("--config"))
    }

    @Test func `proxyctl transparent --print redirects local traffic to a loopback listener`()
        throws
    {
        let result = try run(
            Self.listener("127.0.0.1:8088") + Self.listener("[::1]:8088"), "--print")
        #expect(result.code == 0)
        let text = result.output
        #expect(text.contains("type nat hook output priority -100"))
        #expect(text.contains("meta skuid \"proxyd\" return"))
        #expect(text.contains("meta nfproto ipv4 tcp dport { 80, 443 } redirect to :8088"))
        #expect(text.contains("meta nfproto ipv6 tcp dport { 80, 443 } redirect to :8088"))
        #expect(text.contains("udp dport 443 reject"))
        #expect(!text.contains("prerouting"))
    }

    @Test
    func `proxyctl transparent --print redirects forwarded traffic to a non-loopback listener`()
        throws
    {
        let result = try run(
            Self.listener("10.0.0.1:8088", Self.guests), "--print", "--port", "8443", "--port",
            "80")
        #expect(result.output.contains("type nat hook prerouting priority -100"))
        #expect(
            result.output.contains(
                "ip saddr 10.0.0.0/24 tcp dport { 80, 8443 } dnat ip to 10.0.0.1:8088\n"))
        #expect(!result.output.contains("hook output"))
    }

    @Test
    func `with TPROXY, proxyctl transparent --print prints the needed routing rule as a comment`()
        throws
    {
        let result = try run(
            Self.listener("0.0.0.0:8088", Self.guests + "\ntproxy = true"), "--print", "--port",
            "all")
        #expect(
            result.output.contains(
                "ip saddr 10.0.0.0/24 meta l4proto tcp meta mark set 10808 tproxy ip to :8088"))
        #expect(result.output.contains("#     ip rule add fwmark 10808 lookup 10808\n"))
        #expect(!result.output.contains("redirect to"))
    }

    @Test
    func `proxyctl transparent --user redirects only that user's traffic, never the daemon's`()
        throws
    {
        let result = try run(
            Self.listener("127.0.0.1:8088"), "--print", "--user", "alice", "--daemon-user", "px")
        #expect(result.output.contains("meta skuid \"px\" return"))
        #expect(result.output.contains("meta skuid != { \"alice\" } return"))
        #expect(
            try run(
                Self.listener("127.0.0.1:8088"), "--print", "--user", "px", "--daemon-user", "px"
            ).code == 64)
    }

    @Test(arguments: ["a\" accept", "", "-x", "a b", "x\n", "é"])
    func `proxyctl transparent --print rejects user names that nft could misread`(name: String)
        throws
    {
        let result = try run(
            Self.listener("127.0.0.1:8088"), "--print", "--daemon-user=\(name)")
        #expect(result.code == 64)
    }

    @Test func `proxyctl transparent fails without --print or without a transparent listener`()
        throws
    {
        let bare = try run(Self.listener("127.0.0.1:8088"))
        #expect(bare.code == 64)
        #expect(bare.errors.contains("--print"))
        let none = try run("[[listener]]\naddress = \"127.0.0.1:8088\"\n", "--print")
        #expect(none.code == 78)
        #expect(none.output.isEmpty)
    }
}
