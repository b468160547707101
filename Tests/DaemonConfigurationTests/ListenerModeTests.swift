import Foundation
import ProxydConfigurationText
import ProxydTestSupport
import Testing

@testable import ProxydDaemonConfiguration

/// What the tables of other modes than proxy say, and what must be so of it.
struct ListenerModeTests {
    private func listeners(_ text: String) throws -> [Configuration.Listener] {
        try ConfigurationReader.read("[listen]\naddresses = []\n" + text, file: "f")
            .listen.listeners
    }

    private func listener(_ keys: String) throws -> Configuration.Listener {
        let text = "[[listener]]\naddress = \"127.0.0.1:1\"\n\(keys)\n"
        return try #require(try listeners(text).first)
    }

    private func problems(
        _ text: String, flags: ConfigurationOverrides = ConfigurationOverrides()
    ) -> [String] {
        do {
            _ = try ConfigurationReader.read(text, file: "f", overrides: flags)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    // MARK: Modes

    @Test(arguments: [
        ("", "proxy", "127.0.0.1:1"), ("mode = \"socks\"", "socks", "socks://127.0.0.1:1"),
        ("mode = \"transparent\"", "transparent", "transparent://127.0.0.1:1"),
        (
            "mode = \"reverse\"\nto = \"http://Origin.test:81/a/\"", "reverse",
            "reverse://origin.test:81/a@127.0.0.1:1?plain"
        ),
    ])
    func `a listener configured without a name is named after its mode and address`(
        keys: String, mode: String, name: String
    ) throws {
        let found = try listener(keys)
        #expect(found.mode.name == mode)
        #expect(found.name == name)
        #expect(found.options == ListenerOptions())
        let byFlag = try ConfigurationReader.read(
            "", file: "f", overrides: ConfigurationOverrides(listen: [name]))
        #expect(byFlag.listen.listeners.map(\.mode) == [found.mode])
    }

    @Test func `a listener table can set the name of the listener`() throws {
        let found = try listener("mode = \"socks\"\nname = \"office.1_a-B\"")
        #expect(found.name == "office.1_a-B")
    }

    @Test(arguments: ["", "a b", "a/b", "a:1", "é", String(repeating: "a", count: 65)])
    func `a listener name must be 1 to 64 ASCII letters, digits, dots, underscores or hyphens`(
        name: String
    ) {
        #expect(
            problems("[[listener]]\naddress = \"127.0.0.1:1\"\nname = \"\(name)\"\n") == [
                "f:3: name: \"\(name)\" is not a name: use letters, digits, and . _ -"
            ])
    }

    @Test func `the second of two listeners with the same name is reported as a mistake`() {
        let table = { (port: Int) in
            "[[listener]]\naddress = \"127.0.0.1:\(port)\"\nname = \"a\"\n"
        }
        #expect(
            problems(table(1) + table(2)) == ["f:5: two listeners have the name a"])
    }

    // MARK: PROXY headers

    @Test func `only clients in the trusted networks of a listener may send a PROXY header`() throws
    {
        let found = try listener(
            "mode = \"socks\"\nproxy_protocol = true\ntrusted = [\"10.0.0.0/8\", \"::1\"]")
        #expect(found.options.expectsPROXYHeader)
        #expect(found.access.trusts("10.1.2.3"))
        #expect(found.access.trusts("::1"))
        // Not even those of this machine may claim to be anyone.
        #expect(!found.access.trusts("127.0.0.1"))
        #expect(found.access.allows("127.0.0.1"))
        #expect(!found.access.allows("10.1.2.3"))
    }

    @Test(arguments: [nil, true, false])
    func `rewrite_requests of a reverse listener can be true, false or absent`(isOn: Bool?) throws {
        let key = isOn.map { "rewrite_requests = \($0)" } ?? ""
        let found = try listener("mode = \"reverse\"\nto = \"https://h\"\n" + key)
        guard case .reverse(let route) = found.mode else { return #expect(Bool(false)) }
        #expect(route.rewritesRequests == isOn)
    }

    @Test(arguments: [1, 2])
    func `a change to a reverse listener's send_proxy_protocol takes effect only after a restart`(
        version: Int
    ) throws {
        let reverse = "mode = \"reverse\"\nto = \"https://h\"\n"
        let found = try listener(reverse + "send_proxy_protocol = \(version)")
        guard case .reverse(let route) = found.mode else { return #expect(Bool(false)) }
        #expect(route.headerVersion == version)
        let table = "[[listener]]\naddress = \"127.0.0.1:1\"\n" + reverse
        let change = try #require(
            ConfigurationChange.between(
                try ConfigurationReader.read(table, file: "f"),
                try ConfigurationReader.read(
                    table + "send_proxy_protocol = \(version)\n", file: "f")
            ).first)
        #expect(change.effect == .onRestart)
        #expect(change.new.contains("send_proxy_protocol = \(version)"), "\(change.new)")
        #expect(!change.old.contains("send_proxy_protocol"))
    }

    @Test(arguments: [
        (
            "proxy_protocol = true",
            "f:3: proxy_protocol also needs trusted, the networks of the load balancers: any "
                + "other client could claim to be someone else"
        ),
        (
            "trusted = [\"10.0.0.1\"]",
            "f:3: trusted has no meaning without proxy_protocol = true"
        ),
        (
            "proxy_protocol = 1\nmode = \"proxy\"",
            "f:3: proxy_protocol: expected true or false, found an integer"
        ),
        (
            "tproxy = true", "f:3: tproxy is only for mode = \"transparent\""
        ),
        (
            "tproxy = true\nmode = \"socks\"", "f:3: tproxy is only for mode = \"transparent\""
        ),
        (
            "proxy_protocol = true\ntrusted = [\"::1\"]\nmode = \"transparent\"",
            "f:3: proxy_protocol cannot be used with mode = \"transparent\": the kernel redirects "
                + "connections of clients, which start with no header"
        ),
        (
            "proxy_protcol = true", "f:3: unknown key proxy_protcol; did you mean proxy_protocol?"
        ),
    ])
    func `listener keys that contradict each other or the mode are reported with their line`(
        keys: String, message: String
    ) {
        #expect(problems("[[listener]]\naddress = \"127.0.0.1:1\"\n\(keys)\n") == [message])
    }

    @Test(arguments: ["10.0.0.0/8/8", "host"])
    func `an invalid network in the trusted list of a listener is reported with its line`(
        network: String
    ) {
        let found = problems(
            "[[listener]]\naddress = \"127.0.0.1:1\"\nproxy_protocol = true\n"
                + "trusted = [\"\(network)\"]\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("f:4: trusted: ") == true, "\(found)")
    }

    // MARK: Certificates

    @Test(.enabled(if: OpenSSLTool.path != nil, "openssl is not installed"))
    func `the certificate and key files of a reverse listener are loaded`() throws {
        let folder = try certificate()
        let found = try listener(reverse(folder.path + "/a.pem", folder.path + "/a.key"))
        guard case .reverse(let route) = found.mode else { return #expect(Bool(false)) }
        #expect(
            route.clientTLS
                == .files(certificate: folder.path + "/a.pem", key: folder.path + "/a.key"))
    }

    @Test(.enabled(if: OpenSSLTool.path != nil, "openssl is not installed"))
    func `missing, invalid or mismatched certificate files are reported with their line`() throws {
        let folder = try certificate()
        let other = try certificate()
        let (pem, key) = (folder.path + "/a.pem", folder.path + "/a.key")
        try "nothing".write(toFile: folder.path + "/no", atomically: true, encoding: .utf8)
        let wrong = [
            (folder.path + "/missing", key, "cannot read \(folder.path)/missing"),
            (pem, folder.path + "/missing", "cannot read \(folder.path)/missing"),
            (folder.path + "/no", key, "\(folder.path)/no and \(key): "),
            (pem, folder.path + "/no", "\(pem) and \(folder.path)/no: "),
            (pem, other.path + "/a.key", "\(pem) and \(other.path)/a.key: "),
        ]
        for (certificate, key, message) in wrong {
            let found = problems(
                "[[listener]]\naddress = \"127.0.0.1:1\"\n\(reverse(certificate, key))\n")
            #expect(found.count == 1)
            #expect(found.first?.hasPrefix("f:5: certificate: \(message)") == true, "\(found)")
        }
    }

    @Test(.enabled(if: OpenSSLTool.path != nil, "openssl is not installed"))
    func `the key 'names' is rejected for a reverse listener that has a certificate file`() throws {
        let folder = try certificate()
        let keys = reverse(folder.path + "/a.pem", folder.path + "/a.key")
        let found = problems(
            "[[listener]]\naddress = \"127.0.0.1:1\"\n\(keys)\nnames = [\"a\"]\n")
        #expect(found.count == 1)
        #expect(found.first?.contains("names are for certificates of") == true, "\(found)")
    }

    private func reverse(_ certificate: String, _ key: String) -> String {
        "mode = \"reverse\"\nto = \"https://h\"\ncertificate = \"\(certificate)\"\n"
            + "key = \"\(key)\""
    }

    private func certificate() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try OpenSSLTool.run(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=us.test "
                + "-keyout a.key -out a.pem", in: folder.path)
        return folder
    }

    // MARK: Changes

    @Test(arguments: [
        ("mode = \"socks\"", false), ("name = \"a\"", false),
        ("proxy_protocol = true\ntrusted = [\"::1\"]", false),
        ("mode = \"transparent\"\ntproxy = true", false),
        ("allowed_client_networks = [\"10.0.0.1\"]", true),
    ])
    func `a reload applies a listener's new allowed networks but not its new mode or name`(
        keys: String, onReload: Bool
    ) throws {
        let table = "[[listener]]\naddress = \"127.0.0.1:1\"\n"
        let old = try ConfigurationReader.read(table, file: "f")
        let new = try ConfigurationReader.read(table + keys + "\n", file: "f")
        let changes = ConfigurationChange.between(old, new)
        #expect(changes.map(\.path) == ["listener"])
        #expect(changes.map(\.effect) == [onReload ? .onReload : .onRestart])
    }

    @Test
    func `a reload applies a listener's changed trusted networks and shows the change as TOML`()
        throws
    {
        let table = { (network: String) in
            "[[listener]]\naddress = \"127.0.0.1:1\"\nname = \"a\"\nproxy_protocol = true\n"
                + "trusted = [\"\(network)\"]\n"
        }
        let old = try ConfigurationReader.read(table("::1"), file: "f")
        let new = try ConfigurationReader.read(table("10.0.0.1"), file: "f")
        let change = try #require(ConfigurationChange.between(old, new).first)
        #expect(change.effect == .onReload)
        #expect(
            change.new
                == "[{ address = \"127.0.0.1:1\", mode = \"proxy\", name = \"a\", "
                + "proxy_protocol = true, trusted = [\"10.0.0.1\"] }]")
        var access = AccessByListener(old.listen)
        access.update(new.listen)
        #expect(access["a"].trusts("10.0.0.1"))
        #expect(!access["a"].trusts("::1"))
    }
}
