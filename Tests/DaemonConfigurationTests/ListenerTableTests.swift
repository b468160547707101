import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

/// The tables `[[listener]]` and what must be so of all listeners together.
struct ListenerTableTests {
    @Test func `listener tables add listeners to the addresses in the listen table`() throws {
        let configuration = try ConfigurationReader.read(
            """
            [[listener]]
            address = "127.0.0.1:3128"

            [[listener]]
            address = "192.168.1.1:3128"
            mode = "proxy"
            allowed_client_networks = ["192.168.1.0/24"]
            """, file: "f")
        let listeners = configuration.listen.listeners
        #expect(
            listeners.map(\.name) == ["127.0.0.1:8080", "127.0.0.1:3128", "192.168.1.1:3128"])
        #expect(listeners.map { $0.access.allows("192.168.1.7") } == [false, false, true])
        #expect(listeners.allSatisfy { $0.access.allows("127.0.0.1") && $0.access.allows("::1") })
        #expect(!listeners.contains { $0.access.allows("192.168.2.7") })
    }

    @Test func `a listener table without allowed networks inherits those of the listen table`()
        throws
    {
        let configuration = try ConfigurationReader.read(
            """
            [listen]
            addresses = []
            allowed_client_networks = ["10.0.0.0/8"]
            [[listener]]
            address = "0.0.0.0:1"
            [[listener]]
            address = "127.0.0.1:2"
            allowed_client_networks = []
            """, file: "f")
        let access = configuration.listen.listeners.map(\.access)
        #expect(access.map { $0.allows("10.1.2.3") } == [true, false])
    }

    @Test
    func `the flag --listen replaces the addresses of the listen table but not listener tables`()
        throws
    {
        let configuration = try ConfigurationReader.read(
            "[[listener]]\naddress = \"127.0.0.1:1\"\n", file: "f",
            overrides: ConfigurationOverrides(listen: ["127.0.0.1:2"]))
        #expect(configuration.listen.listeners.map(\.name) == ["127.0.0.1:2", "127.0.0.1:1"])
    }

    @Test(arguments: [
        ("[listener]\n", "f:1: listener is an array of tables: write [[listener]]"),
        ("[[listner]]\n", "f:1: unknown table listner; did you mean listener?"),
        ("[[listener]]\n", "f:1: a listener needs an address"),
        (
            "[[listener]]\naddress = \"localhost:1\"\n",
            "f:2: address: expected ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080, found "
                + "\"localhost:1\""
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nmode = \"sock\"\n",
            "f:3: mode: expected one of \"proxy\", \"reverse\", \"socks\", \"transparent\", found "
                + "\"sock\""
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nalowed_client_networks = []\n",
            "f:3: unknown key alowed_client_networks; did you mean allowed_client_networks?"
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nmoed = \"socks\"\n",
            "f:3: unknown key moed; did you mean mode?"
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nmode = \"reverse\"\n",
            "f:3: mode = \"reverse\" needs a server: to = \"https://HOST\""
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nto = \"https://h\"\n",
            "f:3: to is only for mode = \"reverse\""
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nmode = \"socks\"\nsend_proxy_protocol = 1\n",
            "f:4: send_proxy_protocol is only for mode = \"reverse\""
        ),
        (
            "[[listener]]\naddress = \"0.0.0.0:1\"\n",
            "f:2: 0.0.0.0:1 is open to other machines: set which may use it with "
                + "allowed_client_networks next to it or under [listen]"
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nallowed_client_networks = [\"0.0.0.0/0\"]",
            "f:3: allowed_client_networks: 0.0.0.0/0 is so wide that it includes strangers: give "
                + "the networks of the guests"
        ),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nallowed_client_networks = [\"8.8.8.8\"]",
            "f:3: allowed_client_networks: 8.8.8.8 is not private: if it is your own, set "
                + "allow_public_networks = true under [listen]"
        ),
        (
            "\n[[listener]]\naddress = \"127.0.0.1:8080\"\n",
            "f:3: 127.0.0.1:8080 is given twice"
        ),
        (
            "[listen]\naddresses = [\n\"[::1]:1\",\n\"[0:0::1]:1\"]\n",
            "f:4: [0:0::1]:1 is given twice"
        ),
        (
            "[[listener]]\naddress = \"0.0.0.0:8080\"\nallowed_client_networks = [\"10.0.0.1\"]",
            "f:2: cannot listen on both 0.0.0.0:8080 and 127.0.0.1:8080"
        ),
        (
            "[listen]\naddresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n[[listener]]\n"
                + "address = \"127.0.0.1:0\"\nallowed_client_networks = [\"10.0.0.1\"]",
            "f:4: 127.0.0.1:0 is given twice with different guests: use different ports"
        ),
    ])
    func `a mistake in a listener table is reported with its line`(text: String, message: String) {
        #expect(problems(text) == [message])
    }

    @Test(arguments: [
        ("to = \"ftp://h\"", "to: expected https://HOST, with or without :PORT and /PREFIX"),
        ("to = \"h\"", "to: expected https://HOST"),
        ("host = \"a/b\"", "host: expected \"change\""),
        ("certificate = \"/c\"", "certificate also needs key"),
        ("key = \"/k\"", "key also needs certificate"),
        ("certificate = \"c\"\nkey = \"/k\"", "certificate: expected an absolute path"),
        ("names = [\"a b\"]", "names: \"a b\" is not a DNS name"),
        ("tls = false\nnames = [\"a\"]", "names has no meaning with tls = false"),
        ("send_proxy_protocol = 3", "send_proxy_protocol: expected 1 or 2"),
        ("send_proxy_protocol = true", "send_proxy_protocol: expected an integer"),
        ("rewrite_back = 1", "rewrite_back: expected true or false"),
        ("rewrite_requests = \"no\"", "rewrite_requests: expected true or false"),
        ("rewriteback = true", "unknown key rewriteback; did you mean rewrite_back?"),
    ])
    func `a mistake in the keys of a reverse listener is reported`(keys: String, message: String) {
        let server = keys.hasPrefix("to") ? "" : "to = \"https://h\"\n"
        let found = problems(
            "[[listener]]\naddress = \"127.0.0.1:1\"\nmode = \"reverse\"\n\(server)\(keys)\n")
        #expect(found.count == 1)
        #expect(found.first?.contains(": " + message) == true, "\(found)")
    }

    @Test
    func `the mistakes of all listener tables are reported together, in the order of the file`() {
        let found = problems(
            """
            [[listener]]
            adress = "127.0.0.1:1"
            mode = 1
            [[listener]]
            address = "127.0.0.1:1"
            to = 1
            [limits]
            x = 1
            """)
        #expect(found.map { $0.prefix(4) } == ["f:1:", "f:2:", "f:3:", "f:6:", "f:6:", "f:8:"])
    }

    @Test func `a reload can change a listener's allowed networks, but not its address`()
        throws
    {
        let read = { (text: String) in try ConfigurationReader.read(text, file: "f") }
        let one = try read("[[listener]]\naddress = \"127.0.0.1:1\"\n")
        let guests = try read(
            "[[listener]]\naddress = \"127.0.0.1:1\"\nallowed_client_networks = [\"10.0.0.1\"]\n")
        let moved = try read("[[listener]]\naddress = \"127.0.0.1:2\"\n")
        let changes = ConfigurationChange.between(one, guests)
        #expect(changes.map(\.path) == ["listener"])
        #expect(changes.map(\.effect) == [.onReload])
        #expect(
            changes.map(\.new) == [
                "[{ address = \"127.0.0.1:1\", mode = \"proxy\", "
                    + "allowed_client_networks = [\"10.0.0.1\"] }]"
            ])
        #expect(ConfigurationChange.between(one, moved).map(\.effect) == [.onRestart])
        #expect(ConfigurationChange.between(one, one).isEmpty)
    }

    @Test
    func `a reload updates each listener's allowed networks, except those of a removed listener`()
        throws
    {
        let listen = { (text: String) in
            try ConfigurationReader.read(text, file: "f").listen
        }
        var access = AccessByListener(
            try listen(
                "[[listener]]\naddress = \"0.0.0.0:1\"\nallowed_client_networks = [\"10.0.0.1\"]"))
        #expect(access["0.0.0.0:1"].allows("10.0.0.1"))
        #expect(!access["127.0.0.1:8080"].allows("10.0.0.1"))
        #expect(!access["192.0.2.1:7"].allows("10.0.0.1"))
        access.update(
            try listen(
                "[[listener]]\naddress = \"0.0.0.0:1\"\nallowed_client_networks = [\"10.0.0.2\"]"))
        #expect(!access["0.0.0.0:1"].allows("10.0.0.1"))
        #expect(access["0.0.0.0:1"].allows("10.0.0.2"))
        access.update(try listen("[listen]\nallowed_client_networks = [\"10.0.0.0/8\"]"))
        #expect(access["0.0.0.0:1"].allows("10.0.0.2"))
        #expect(!access["0.0.0.0:1"].allows("10.0.0.3"))
        #expect(access["127.0.0.1:8080"].allows("10.0.0.3"))
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
}
