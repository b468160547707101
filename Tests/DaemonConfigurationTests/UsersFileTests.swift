import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

/// Which listener has which users.
struct UsersFileTests {
    private func listen(_ text: String) throws -> Configuration.Listen {
        try ConfigurationReader.read(text, file: "f").listen
    }

    @Test
    func `a proxy or SOCKS listener uses its own users_file, or else that of the listen table`()
        throws
    {
        let listen = try listen(
            """
            [listen]
            users_file = "/all"
            [[listener]]
            address = "127.0.0.1:1"
            users_file = "/own"
            [[listener]]
            address = "127.0.0.1:2"
            users_file = ""
            [[listener]]
            address = "127.0.0.1:3"
            mode = "socks"
            [[listener]]
            address = "127.0.0.1:4"
            mode = "transparent"
            [[listener]]
            address = "127.0.0.1:5"
            mode = "reverse"
            to = "https://origin.test"
            """)
        let files = listen.listeners.map(\.options.usersFile)
        #expect(files == ["/all", "/own", nil, "/all", nil, nil])
        #expect(try self.listen("").listeners.map(\.options.usersFile) == [nil])
    }

    @Test func `listeners from --listen flags use the users_file of the listen table`() throws {
        let overrides = ConfigurationOverrides(listen: ["127.0.0.1:0", "socks://127.0.0.1:0"])
        let configuration = try ConfigurationReader.read(
            "[listen]\nusers_file = \"/all\"\n", file: "f", overrides: overrides)
        let files = configuration.listen.listeners.map(\.options.usersFile)
        #expect(files == ["/all", "/all"])
    }

    @Test(arguments: [
        ("[listen]\nusers_file = \"users\"\n", "f:2: "),
        ("[[listener]]\naddress = \"127.0.0.1:1\"\nusers_file = \"users\"\n", "f:3: users_file: "),
        (
            "[[listener]]\naddress = \"127.0.0.1:1\"\nmode = \"transparent\"\n"
                + "users_file = \"/u\"\n",
            "f:4: users_file is only for the modes proxy and socks"
        ),
    ])
    func `a relative users_file, or one on a transparent listener, is reported with its line`(
        text: String, start: String
    ) {
        let error = #expect(throws: ConfigurationError.self) { try listen(text) }
        #expect(error?.problems.map(\.description).first?.hasPrefix(start) == true)
    }

    @Test func `a changed users_file takes effect on reload`() throws {
        let table = "[[listener]]\naddress = \"127.0.0.1:1\"\nusers_file = "
        let (old, new) = (
            try ConfigurationReader.read(table + "\"/a\"\n", file: "f"),
            try ConfigurationReader.read(
                "[listen]\nusers_file = \"/c\"\n" + table + "\"/b\"\n", file: "f")
        )
        let changes = ConfigurationChange.between(old, new)
        #expect(changes.map(\.path) == ["listen.users_file", "listener"])
        #expect(changes.map(\.effect) == [.onReload, .onReload])
    }

    @Test func `users files and the TLS key log are treated as files with secrets`() throws {
        let configuration = try ConfigurationReader.read(
            """
            [listen]
            users_file = "/all"
            [tls]
            key_log_file = "/keys"
            [[listener]]
            address = "127.0.0.1:1"
            users_file = "/own"
            [[listener]]
            address = "127.0.0.1:2"
            users_file = ""
            """, file: "f")
        #expect(configuration.secretFiles == ["/all", "/keys", "/own"])
        #expect(try ConfigurationReader.read("", file: "f").secretFiles == [])
    }
}
