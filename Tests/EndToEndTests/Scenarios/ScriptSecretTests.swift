import Foundation
import ProxydTestSupport
import Testing

/// Which files scripts cannot read although they are where scripts may read.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: ScriptedDaemon.isPossible, "there is no Python, or the kernel has no Landlock"))
struct ScriptSecretTests {
    private static let rules = """
        [[rule]]
        name = "r"
        request = [{ run = "s" }]
        """

    /// The script says which of the files that are asked for it can read, and what it is.
    private static let reader = """
        said = []
        for name in open("ask.txt").read().split():
            try:
                open(name, "rb").read()
                said.append(name)
            except OSError:
                pass
        a["respond"] = {"status": 200, "text": f"{' '.join(said)} {os.getpid()}"}
        """

    /// The files that the configuration names as secret.
    private static let names = [
        "password", "users", "client.key", "client.p12", "key-password", "server.key", "keys.log",
    ]

    private static let configuration = """
        [tls]
        key_log_file = "FOLDER/keys.log"
        [[listener]]
        address = "127.0.0.1:0"
        mode = "socks"
        users_file = "FOLDER/users"
        [[listener]]
        address = "127.0.0.2:0"
        mode = "reverse"
        to = "https://origin.test"
        certificate = "FOLDER/server.pem"
        key = "FOLDER/server.key"
        [[upstream]]
        name = "corp"
        url = "http://127.0.0.1:9"
        user = "me"
        password_file = "FOLDER/password"
        hosts = []
        [[client_certificate]]
        name = "pem"
        certificate = "FOLDER/server.pem"
        key = "FOLDER/client.key"
        [[client_certificate]]
        name = "p12"
        pkcs12 = "FOLDER/client.p12"
        password_file = "FOLDER/key-password"
        """

    /// Of any password: no one uses it.
    private static let hash =
        "$6$saltsalt$" + String(repeating: "a", count: 85) + "."

    private static func prepare(_ folder: ScratchFolder) throws {
        let certificate = try TestCertificate()
        let key = try String(contentsOfFile: certificate.keyPath, encoding: .utf8)
        try folder.write(
            "server.pem", try String(contentsOfFile: certificate.certificatePath, encoding: .utf8))
        for name in ["server.key", "client.key"] { try folder.write(name, key) }
        for name in ["password", "key-password", "other"] { try folder.write(name, "secret\n") }
        try folder.write("users", "alice:\(hash)\n")
        let made = try Tool.run(
            "openssl",
            [
                "pkcs12", "-export", "-out", folder.path + "/client.p12", "-passout", "pass:secret",
                "-in", certificate.certificatePath, "-inkey", certificate.keyPath,
            ])
        #expect(made.status == 0, "\(made.errors)")
        try folder.write("ask.txt", (names + ["other", "server.pem"]).joined(separator: " "))
        for name in names + ["other"] { chmod("\(folder.path)/\(name)", 0o600) }
    }

    private func start(
        rules: String = ScriptSecretTests.rules, options: String = "", configuration: String,
        launcher: [String] = []
    ) throws -> ScriptedDaemon {
        try ScriptedDaemon(
            ScriptSecretTests.reader, rules: rules, options: options, configuration: configuration,
            launcher: launcher, prepare: ScriptSecretTests.prepare)
    }

    /// What a script says that it can read.
    private func readable(in scripted: ScriptedDaemon) throws -> [String] {
        try scripted.ask().split(separator: " ").dropLast().map(String.init)
    }

    @Test func `a rule's script cannot read the secret files named in the configuration`() throws {
        let scripted = try start(configuration: ScriptSecretTests.configuration)
        #expect(try readable(in: scripted) == ["other", "server.pem"])
        // It hides them, and not their modes.
        for name in ScriptSecretTests.names {
            #expect(
                FileManager.default.isReadableFile(atPath: "\(scripted.folder)/\(name)"), "\(name)")
        }
        let free = try start(
            configuration: "[scripts]\nunconfined = true\n" + ScriptSecretTests.configuration)
        #expect(
            try readable(in: free) == ScriptSecretTests.names + ["other", "server.pem"])
    }

    @Test
    func `neither a symbolic link nor its reads option lets a rule's script read a secret file`()
        throws
    {
        let configuration = """
            [[upstream]]
            name = "corp"
            url = "http://127.0.0.1:9"
            user = "me"
            password_file = "FOLDER/link"
            hosts = []
            """
        let scripted = try ScriptedDaemon(
            ScriptSecretTests.reader, rules: ScriptSecretTests.rules,
            options: "reads = [\"/var/tmp\", \"/tmp\"]", configuration: configuration,
            prepare: { folder in
                try ScriptSecretTests.prepare(folder)
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path + "/link", withDestinationPath: "password")
                try folder.write("ask.txt", "password link other")
            })
        #expect(try readable(in: scripted) == ["other"])
    }

    @Test func `a file that becomes a secret on reload is hidden from rule scripts from then on`()
        throws
    {
        func configuration(_ file: String) -> String {
            """
            [[upstream]]
            name = "corp"
            url = "http://127.0.0.1:9"
            user = "me"
            password_file = "FOLDER/\(file)"
            hosts = []
            """
        }
        let scripted = try start(configuration: configuration("password"))
        try "password other".write(
            toFile: scripted.folder + "/ask.txt", atomically: false, encoding: .utf8)
        #expect(try readable(in: scripted) == ["other"])
        try scripted.reload(configuration("other"))
        #expect(try readable(in: scripted) == ["password"])
    }

    @Test
    func `if the symbolic link to a secret changes, the new target is hidden from rule scripts`()
        throws
    {
        let configuration = """
            [[upstream]]
            name = "corp"
            url = "http://127.0.0.1:9"
            user = "me"
            password_file = "FOLDER/now/link"
            hosts = []
            """
        let scripted = try ScriptedDaemon(
            ScriptSecretTests.reader, rules: ScriptSecretTests.rules, configuration: configuration,
            prepare: { folder in
                try ScriptSecretTests.prepare(folder)
                try folder.write("now/file", "")
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path + "/now/link", withDestinationPath: "../password")
                try folder.write("ask.txt", "password other")
            })
        #expect(try readable(in: scripted) == ["other"])
        let link = scripted.folder + "/now/link"
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "../other")
        #expect(try readable(in: scripted) == ["password"])
    }

    @Test func `a rules file is hidden from rule scripts as soon as it contains a secret`() throws {
        let secret = """
            [[rule]]
            name = "key"
            when = 'host=api.test'
            request = [{ set = "header:X-Key", value = "s3cret", secret = true }]
            """
        let scripted = try start(configuration: "")
        try "rules.toml other".write(
            toFile: scripted.folder + "/ask.txt", atomically: false, encoding: .utf8)
        #expect(try readable(in: scripted) == ["rules.toml", "other"])
        try scripted.write(rules: ScriptSecretTests.rules + "\n" + secret)
        try scripted.daemon.proxyctl(["rule", "reload"])
        #expect(try readable(in: scripted) == ["other"])
    }

    @Test func `a rule's script can read a file created later beside a secret file`() throws {
        let scripted = try start(configuration: ScriptSecretTests.configuration)
        try "new password".write(
            toFile: scripted.folder + "/ask.txt", atomically: false, encoding: .utf8)
        #expect(try readable(in: scripted) == [])
        try "".write(toFile: scripted.folder + "/new", atomically: true, encoding: .utf8)
        #expect(try readable(in: scripted) == ["new"])
        // It goes on as long as nothing changes.
        #expect(try scripted.ask() == scripted.ask())
    }

    @Test func `passwords and keys for delivery to a central store are hidden from rule scripts`()
        throws
    {
        let base = try ScratchFolder()
        for name in ["pgpass", "other", "a b", "store.key", "own"] {
            try base.write("proxyd/\(name)", "secret")
        }
        let folder = base.path + "/proxyd"
        try base.write(
            "proxyd/proxyship.toml",
            """
            [shipping]
            store = "postgresql://db/x?sslkey=\(folder)/store.key&passfile=\(folder)/a%20b"
            """)
        let scripted = try start(
            options: "reads = [\"\(folder)\"]", configuration: "",
            launcher: [
                "/usr/bin/env", "XDG_CONFIG_HOME=\(base.path)", "PGPASSFILE=\(folder)/own",
            ])
        let all = ["pgpass", "other", "store.key", "own", "proxyship.toml"]
        try (all.map { "\(folder)/\($0)" } + ["hook.py"]).joined(separator: " ").write(
            toFile: scripted.folder + "/ask.txt", atomically: false, encoding: .utf8)
        #expect(
            try readable(in: scripted)
                == ["\(folder)/other", "\(folder)/proxyship.toml", "hook.py"])
    }
}
