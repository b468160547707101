import Logging
import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

struct ConfigurationReaderTests {
    @Test func `an empty configuration file means the defaults`() throws {
        #expect(try ConfigurationReader.read("", file: "f") == Configuration())
        #expect(try ConfigurationReader.read("# only a comment\n", file: "f") == Configuration())
    }

    @Test func `configuration values of every type are read`() throws {
        let text = """
            data_dir = "/srv/proxyd"
            log_level = "debug"
            [listen]
            addresses = ["127.0.0.1:0", "[::1]:3128"]
            [limits]
            head_byte_count_max = 1_048_576
            [tls]
            pass_through = ["*.bank.example", "10.0.0.0/8:443"]
            [recording]
            when_queue_full = "drop"
            durability = "full"
            [forwarding]
            via_pseudonym = "box"
            connect_ports = ["443", "8000-8999"]
            [attribution]
            enabled = false
            """
        let configuration = try ConfigurationReader.read(text, file: "f")
        #expect(configuration.dataDirectory == "/srv/proxyd")
        #expect(configuration.logLevel == .debug)
        #expect(configuration.listen.addresses.map(\.text) == ["127.0.0.1:0", "[::1]:3128"])
        #expect(configuration.limits.headByteCountMax == 1_048_576)
        #expect(!configuration.tls.intercepts(host: "www.bank.example", port: 443))
        #expect(configuration.tls.intercepts(host: "bank.example", port: 443))
        #expect(configuration.recording.whenQueueFull == .drop)
        #expect(configuration.recording.durability == .full)
        #expect(configuration.forwarding.viaPseudonym == "box")
        #expect(configuration.forwarding.allowsConnect(toPort: 8_443))
        #expect(!configuration.forwarding.allowsConnect(toPort: 80))
        #expect(!configuration.attribution.isEnabled)
    }

    @Test(arguments: [
        (
            "\n[limits]\nhead_byte_count = 1\n",
            "f:3: unknown key limits.head_byte_count; did you mean limits.head_byte_count_max?"
        ),
        ("lisen = 1\n", "f:1: unknown key lisen; did you mean listen?"),
        ("[lisen]\naddresses = []\n", "f:1: unknown table lisen; did you mean listen?"),
        (
            "# x\nhead_byte_count_max = 1\n",
            "f:2: unknown key head_byte_count_max; did you mean limits.head_byte_count_max?"
        ),
        (
            "[tls]\n\n'intercpt' = []\n",
            "f:3: unknown key tls.intercpt; did you mean tls.intercept?"
        ),
        ("zzz = 1\n", "f:1: unknown key zzz"),
        (
            "[timeouts]\nconnect_s = \"10\"\n",
            "f:2: timeouts.connect_s: expected an integer, found a string"
        ),
        (
            "[timeouts]\nconnect_s = 1.5\n",
            "f:2: timeouts.connect_s: expected an integer, found a floating-point number"
        ),
        ("[timeouts]\nconnect_s = 0\n", "f:2: timeouts.connect_s: expected 1 to 31536000, found 0"),
        (
            "log_level = \"loud\"\n",
            "f:1: log_level: expected one of \"trace\", \"debug\", \"info\", \"notice\", "
                + "\"warning\", \"error\", \"critical\", found \"loud\""
        ),
        ("listen = 8080\n", "f:1: listen is a table: write [listen]"),
        (
            "[listen]\naddresses = \"127.0.0.1:1\"\n",
            "f:2: listen.addresses: expected an array, found a string"
        ),
        (
            "[listen]\naddresses = [\"localhost:1\"]\n",
            "f:2: listen.addresses: expected ADDRESS:PORT such as 127.0.0.1:8080 or "
                + "[::1]:8080, found \"localhost:1\""
        ),
        (
            "[listen]\naddresses = [\n\"127.0.0.1:1\",\n1,\n]\n",
            "f:4: listen.addresses: expected ADDRESS:PORT such as 127.0.0.1:8080 or "
                + "[::1]:8080, found an integer"
        ),
        ("[listen]\naddresses = []\n", "f:2: listen.addresses: expected at least one address"),
        (
            "data_dir = \"captures\"\n",
            "f:1: data_dir: expected an absolute path, found \"captures\""
        ),
        (
            "[forwarding]\nvia_pseudonym = \"a b\"\n",
            "f:2: forwarding.via_pseudonym: expected letters, digits and -._, found \"a b\""
        ),
        (
            "[attribution]\nenabled = 1\n",
            "f:2: attribution.enabled: expected true or false, found an integer"
        ),
    ])
    func `an unknown configuration key or an invalid value is reported with its line`(
        text: String, message: String
    ) {
        #expect(problems(text) == [message])
    }

    @Test func `a TOML syntax error in the configuration is reported with its line`() throws {
        let found = problems("a = 1\nb = \n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("f:2: ") == true)
    }

    @Test func `a NUL character in a configuration file is an error`() {
        #expect(
            problems("\nlog_level = \"info\"\0\nx = 1") == [
                "f:2: the file contains a NUL character"
            ]
        )
    }

    @Test
    func `mistakes in the configuration file are reported in file order, then those in flags`() {
        let text = """
            [tls]
            nonsense = 1
            [timeouts]
            resolve_s = true
            connect_s = -1
            """
        #expect(
            problems(text, flags: ConfigurationOverrides(logLevel: "loud")).map { $0.prefix(4) }
                == ["f:2:", "f:4:", "f:5:", "--lo"]
        )
    }

    @Test
    func `the line of a configuration mistake is right even if earlier values look like keys`() {
        let text = """
            [tls]
            extra_ca_files = [
              "/a # ] = b",  # [timeouts]
              \"""
            /b
            connect_s = 1
            \""",
              '/c = [',
            ]
            timeouts.x = 1
            [timeouts]
            "connect_s" = 0
            """
        #expect(
            problems(text) == [
                "f:2: tls.extra_ca_files: cannot read /a # ] = b: No such file or directory",
                "f:10: unknown key tls.timeouts; did you mean timeouts?",
                "f:12: timeouts.connect_s: expected 1 to 31536000, found 0",
            ]
        )
    }

    @Test
    func `a configuration mistake in an inline table is reported with the line of that table`() {
        #expect(
            problems("\ntls = { intercept = 1 }\n")
                == ["f:2: tls.intercept: expected an array, found an integer"]
        )
    }

    @Test func `listening on a non-loopback address requires the key allowed_client_networks`()
        throws
    {
        let open = "[listen]\naddresses = [\"0.0.0.0:8080\"]\n"
        let message =
            "0.0.0.0:8080 is open to other machines: set which may use it with "
            + "allowed_client_networks under [listen]"
        #expect(problems(open) == ["f:2: \(message)"])
        #expect(problems("", flags: .init(listen: ["0.0.0.0:8080"])) == ["--listen: \(message)"])
        let guests = "allowed_client_networks = [\"192.168.1.0/24\"]\n"
        let configuration = try ConfigurationReader.read(open + guests, file: "f")
        #expect(configuration.listen.access.allows("192.168.1.7"))
        #expect(configuration.listen.access.allows("::ffff:192.168.1.7"))
        #expect(configuration.listen.access.allows("127.0.0.1"))
        #expect(configuration.listen.access.allows("::1"))
        #expect(!configuration.listen.access.allows("192.168.2.7"))
        #expect(!configuration.listen.access.allows("2001:db8::1"))
    }

    @Test(arguments: [
        "0.0.0.0/0", "::/0", "128.0.0.0/1", "2000::/3", "8.0.0.0/7", "8.0.0.0/8", "10.0.0.0/7",
        "172.16.0.0/11", "192.168.0.0/15", "100.64.0.0/9", "fc00::/6", "fe80::/9", "2a00::/31",
    ])
    func `a client network that is too wide is rejected even with allow_public_networks = true`(
        network: String
    ) throws {
        for isPublicAllowed in [false, true] {
            let found = problems(guests(network, isPublicAllowed: isPublicAllowed))
            #expect(found.count == 1)
            #expect(found.first?.contains("so wide that it includes strangers") == true, "\(found)")
        }
    }

    @Test(arguments: [
        "10.0.0.0/8", "172.16.0.0/12", "172.31.0.0/24", "192.168.0.0/16", "192.168.1.7",
        "169.254.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "::ffff:10.0.0.1", "fc00::/7",
        "fd12::/48", "fe80::/10", "::1",
    ])
    func `a private network is accepted in allowed_client_networks`(network: String) throws {
        #expect(problems(guests(network)) == [])
    }

    @Test(arguments: [
        "203.0.113.0/24", "8.8.8.8", "172.32.0.0/16", "100.128.0.1", "::ffff:8.8.8.8",
        "2a00:1450::/48", "2a00:1450::1", "::2", "fec0::/48",
    ])
    func `a public network in allowed_client_networks needs allow_public_networks`(network: String)
        throws
    {
        let found = problems(guests(network))
        #expect(found.count == 1)
        #expect(found.first?.contains("is not private") == true, "\(found)")
        #expect(found.first?.hasPrefix("f:2: ") == true, "\(found)")
        #expect(found.first?.contains("allow_public_networks = true") == true, "\(found)")
        #expect(problems(guests(network, isPublicAllowed: true)) == [])
    }

    private func guests(_ network: String, isPublicAllowed: Bool = false) -> String {
        "[listen]\nallowed_client_networks = [\"\(network)\"]\n"
            + (isPublicAllowed ? "allow_public_networks = true\n" : "")
    }

    @Test func `command-line flags override the configuration file`() throws {
        let configuration = try ConfigurationReader.read(
            "log_level = \"error\"\n[listen]\naddresses = [\"127.0.0.1:1\"]",
            file: "f",
            overrides: ConfigurationOverrides(
                listen: ["127.0.0.1:2", "[::1]:3"],
                logLevel: "trace"
            )
        )
        #expect(configuration.logLevel == .trace)
        #expect(configuration.listen.addresses.map(\.text) == ["127.0.0.1:2", "[::1]:3"])
    }

    @Test func `an unreadable configuration file causes an error that contains its path`() {
        #expect(throws: ConfigurationError.self) {
            try Configuration.load(file: "/nonexistent/proxyd.toml")
        }
        do {
            _ = try Configuration.load(file: "/nonexistent/proxyd.toml")
        } catch {
            #expect(
                error.description
                    == "/nonexistent/proxyd.toml: cannot be read: No such file or directory"
            )
        }
    }

    private func problems(
        _ text: String,
        flags: ConfigurationOverrides = ConfigurationOverrides()
    ) -> [String] {
        do {
            _ = try ConfigurationReader.read(text, file: "f", overrides: flags)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}
