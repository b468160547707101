import Foundation
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Rules that are listed, changed and tried while no daemon runs: in their file alone.
struct RuleCommandTests {
    private let store: SampleStore
    private let folder: ScratchFolder

    init() throws {
        store = try SampleStore()
        folder = try ScratchFolder()
        try folder.write("proxyd.toml", "")
    }

    private static let rules = """
        # Marks what staging gets.
        [[rule]]
        name = "staging"
        when = 'host=host.test'
        request = [{ set = "header:X-Env", value = "staging" }]

        [[rule]]
        name = "tea"
        when = 'path:/up'
        group = "brew"
        response = [{ respond = 418 }]

        """

    private var file: String { folder.path + "/rules.toml" }

    private func text() throws -> String {
        String(decoding: try folder.content(of: "rules.toml"), as: UTF8.self)
    }

    private func run(_ arguments: String..., editor: String? = nil) -> CommandRun {
        let environment = editor.map { ["EDITOR": $0] } ?? [:]
        return CommandRun(
            ["--data-dir", store.directoryPath, "rule"] + arguments
                + ["--config", folder.path + "/proxyd.toml"], environment: environment)
    }

    private func givenRules() throws { try folder.write("rules.toml", Self.rules) }

    @Test func `proxyctl rule list prints the rules in the order of the rule file`() throws {
        try givenRules()
        let run = run("list")
        #expect(run.code == 0)
        #expect(run.lines.count == 3)
        #expect(run.lines[1].hasPrefix("staging"))
        #expect(run.lines[2].hasSuffix("path:/up"))
        let objects = try store.objects(self.run("list", "--json"))
        #expect(objects.map { $0["name"] as? String } == ["staging", "tea"])
        #expect(objects.map { $0["line"] as? Int } == [2, 7])
        #expect(objects.map { $0["group"] as? String } == [nil, "brew"])
        #expect(objects.allSatisfy { $0["hits"] is NSNull })
    }

    @Test func `proxyctl rule add creates the rule file with mode 600 if there is none`() throws {
        #expect(run("list").errors.contains("there are no rules in \(file)"))
        let added = run("add", "key", "--when", "host=a.test", "--request", "set header:X-A=1")
        #expect(added.code == 0, "\(added.errors)")
        #expect(added.output == "added \"key\" to \(file), in force when proxyd starts\n")
        #expect(run("list").lines.count == 2)
        #expect(folder.mode(of: "rules.toml") == 0o600)
    }

    @Test func `proxyctl rule show prints a rule as written, with its comment`() throws {
        try givenRules()
        let shown = run("show", "staging")
        #expect(shown.output == Self.rules.components(separatedBy: "[[rule]]\nname = \"tea\"")[0])
        #expect(run("show", "none").code == 1)
    }

    @Test
    func `proxyctl rule add, move and remove change the rule order as asked and keep comments`()
        throws
    {
        try givenRules()
        _ = run("add", "first", "--request", "block 403", "--first")
        _ = run("add", "middle", "--request", "block 404", "--before", "tea")
        func names() throws -> [String] {
            try store.objects(run("list", "--json")).compactMap { $0["name"] as? String }
        }
        #expect(try names() == ["first", "staging", "middle", "tea"])
        _ = run("move", "first", "--after", "tea")
        #expect(try names() == ["staging", "middle", "tea", "first"])
        _ = run("remove", "first")
        _ = run("remove", "middle")
        #expect(try names() == ["staging", "tea"])
        #expect(try text().contains("# Marks what staging gets.\n[[rule]]\nname = \"staging\""))
    }

    @Test func `proxyctl rule disable and enable switch a rule or a group of rules off and on`()
        throws
    {
        try givenRules()
        func isEnabled() throws -> [Bool?] {
            try store.objects(run("list", "--json")).map { $0["enabled"] as? Bool }
        }
        _ = run("disable", "staging")
        #expect(try isEnabled() == [false, true])
        _ = run("disable", "--group", "brew")
        #expect(try isEnabled() == [false, false])
        _ = run("enable", "staging")
        _ = run("enable", "--group", "brew")
        #expect(try isEnabled() == [true, true])
    }

    @Test func `with --json, every proxyctl rule command that changes rules prints the change`()
        throws
    {
        try givenRules()
        func change(_ line: String) throws -> [String: Any] {
            let run = CommandRun(
                ["--data-dir", store.directoryPath, "rule"]
                    + line.split(separator: " ").map(String.init)
                    + ["--json", "--config", folder.path + "/proxyd.toml"])
            #expect(run.code == 0, "\(run.errors)")
            return try #require(try store.objects(run).first)
        }
        let cases = [
            ("add x --stop", "add", "x"), ("move x --first", "move", "x"),
            ("disable x", "disable", "x"), ("enable x", "enable", "x"), ("remove x", "remove", "x"),
        ]
        for (line, name, rule) in cases {
            let change = try change(line)
            #expect(change["change"] as? String == name && change["rule"] as? String == rule)
            #expect(change["file"] as? String == file && change["in_force"] as? Bool == false)
        }
        #expect(try change("disable --group brew")["group"] as? String == "brew")
        let map = try change("map 1 --output \(folder.path)/body")
        #expect(map["change"] as? String == "add" && map["rule"] as? String == "map /search")
        let shown = try change("show staging")
        #expect(shown["when"] as? String == "host=host.test")
        #expect((shown["text"] as? String)?.contains("X-Env") == true)
        #expect(shown["stop"] as? Bool == false && shown["limit"] as? Int == 0)
        let edited = run("edit", "--json", editor: "sed -i s/staging/production/")
        #expect(try store.objects(edited).first?["changed"] as? Bool == true)
    }

    private static let refused: [(line: String, code: Int32)] = [
        ("add x", 64), ("add x --request fly", 64), ("move tea", 64),
        ("add staging --request block=403", 64), ("move tea --first --last", 64),
        ("move none --first", 1), ("remove none", 1), ("enable", 64),
        ("enable tea --group g", 64), ("disable none", 1), ("reload", 1),
        ("remove tea --temporary", 1),
    ]

    @Test(arguments: refused)
    func `an invalid proxyctl rule command changes nothing and exits with 1 or 64`(
        line: String, code: Int32
    ) throws {
        try givenRules()
        let run = CommandRun(
            ["--data-dir", store.directoryPath, "rule"]
                + line.split(separator: " ").map(String.init)
                + ["--config", folder.path + "/proxyd.toml"])
        #expect(run.code == code, "\(run.errors)")
        #expect(!run.errors.isEmpty)
        #expect(try text() == Self.rules)
    }

    @Test
    func `proxyctl rule add rejects a name in use, a bad filter and status filters on requests`()
        throws
    {
        try givenRules()
        #expect(run("add", "staging", "--request", "block 403").code == 1)
        #expect(run("add", "x", "--when", "status=", "--request", "block 403").code == 64)
        #expect(run("add", "x", "--when", "status=200", "--request", "block 403").code == 64)
        #expect(try text() == Self.rules)
    }

    @Test func `proxyctl rule add blames a mistake on the option that has it`() throws {
        try givenRules()
        let network = run("add", "x", "--when", "host=a", "--request", "throttle 3gg")
        #expect(
            network.errors == "proxyctl: --request: unknown network 3gg; did you mean 3g?\n")
        let verb = run("add", "x", "--response", "flyy")
        #expect(verb.errors.hasPrefix("proxyctl: --response: unknown verb flyy"))
        let filter = run("add", "x", "--when", "status=", "--request", "block 403")
        #expect(filter.errors.hasPrefix("proxyctl: --when: "))
    }

    @Test func `proxyctl rule list reports every mistake in the rule file with its line`() throws {
        try folder.write(
            "rules.toml",
            """
            [[rule]]
            name = "a"
            when = 'status='
            request = [{ fly = "away" }]

            """)
        let run = run("list")
        #expect(run.code == 78)
        #expect(run.errors.contains("rules.toml:3: "))
        #expect(run.errors.contains("rules.toml:4: "))
    }

    @Test func `proxyctl rule edit replaces the rule file only if the edited copy is valid`() throws
    {
        try givenRules()
        let good = run("edit", editor: "sed -i s/staging/production/")
        #expect(good.code == 0, "\(good.errors)")
        #expect(try text() == Self.rules.replacing("staging", with: "production"))
        let before = try text()
        let bad = run("edit", editor: "sed -i s/respond/fly/")
        #expect(bad.code == 78)
        #expect(try text() == before)
        let line = try #require(bad.errors.split(separator: "\n").first { $0.contains("edits") })
        let draft = try #require(line.split(separator: " ").last.map(String.init))
        #expect(FileManager.default.fileExists(atPath: draft))
        try FileManager.default.removeItem(
            at: URL(filePath: draft).deletingLastPathComponent())
        #expect(run("edit").code == 1)
        #expect(run("edit", editor: "false").errors.contains("exited with status 1"))
    }

    // MARK: Trials

    @Test func `proxyctl rule test counts the stored exchanges that each rule matches`() throws {
        try givenRules()
        let run = run("test")
        #expect(run.code == 0)
        #expect(run.lines.count == 3)
        #expect(run.lines[1].contains("2 of 6"))
        #expect(run.lines[2].contains("1 of 6"))
        let found = try store.objects(self.run("test", "--json", "--rule", "staging"))
        #expect(found.count == 1)
        #expect(found.first?["matches"] as? Int == 2)
        #expect(found.first?["first"] as? Int == 1)
        #expect(found.first?["last"] as? Int == 2)
    }

    @Test func `proxyctl rule test with a filter counts only exchanges that match the filter`()
        throws
    {
        try givenRules()
        let found = try store.objects(run("test", "method=POST", "--json"))
        #expect(found.map { $0["exchanges"] as? Int } == [2, 2])
        #expect(found.map { $0["matches"] as? Int } == [1, 1])
    }

    @Test(
        arguments: [
            ("staging=2", 0), ("staging>=2", 0), ("staging<=1", 1), ("tea>=2", 1),
            ("none=1", 64), ("staging", 64), ("staging=-1", 64),
        ])
    func `proxyctl rule test exits with 0 if --expect is met, 1 if not and 64 if it is invalid`(
        expectation: String, code: Int32
    ) throws {
        try givenRules()
        #expect(run("test", "--expect", expectation).code == code)
    }

    @Test
    func `proxyctl rule test --explain shows which condition of a rule failed and on which value`()
        throws
    {
        try givenRules()
        let run = run("test", "--explain", "3")
        #expect(run.code == 0)
        #expect(run.lines[0] == "staging  does not match")
        #expect(run.lines[1] == "  column 1  host  fails: upload.test")
        #expect(run.lines[2].hasPrefix("tea  response: "))
        #expect(run.lines[3].hasPrefix("  column 1  path  holds"))
        #expect(self.run("test", "--explain", "99").errors.contains("there is no exchange 99"))
    }

    @Test
    func `proxyctl rule test reports why a rule never matches and the nearest value in the store`()
        throws
    {
        _ = try folder.write(
            "rules.toml",
            """
            [[rule]]
            name = "ads"
            when = 'host=hots.test'
            request = [{ block = 403 }]

            """)
        let run = run("test")
        #expect(run.lines[1].contains("never matches"))
        #expect(
            run.lines.last
                == "ads never matches: host=hots.test never holds; nearest: host.test (2)")
        let found = try store.objects(self.run("test", "--json"))
        #expect(
            found.first?["never_because"] as? String
                == "host=hots.test never holds; nearest: host.test (2)")
    }

    @Test
    func `proxyctl rule test --show prints how rules would change the messages of an exchange`()
        throws
    {
        try givenRules()
        let run = run("test", "--show", "1")
        #expect(run.code == 0)
        #expect(
            run.lines == [
                "staging  request: changed (header:X-Env)", "Request",
                "  GET /search?q=caf%C3%A9+noir&tags[]=a&tags[]=b&flag HTTP/1.1",
                "  Host: host.test", "+ X-Env: staging",
            ])
        let answered = self.run("test", "--show", "3")
        #expect(answered.lines[0] == "tea  response: answered (status 418)")
        #expect(answered.lines.contains { $0.hasPrefix("- HTTP/1.1 200 ") })
        #expect(answered.lines.contains { $0.hasPrefix("+ HTTP/1.1 418") })
        #expect(
            self.run("test", "--show", "3", "--rule", "staging").lines
                == ["no rule matches", "no message is changed"])
        let object = try #require(
            try store.objects(self.run("test", "--show", "1", "--json")).first)
        let sections = try #require(object["sections"] as? [[String: Any]])
        #expect(sections.map { $0["added"] as? Int } == [1])
        #expect(sections.map { $0["removed"] as? Int } == [0])
        #expect(self.run("test", "--show", "99").errors.contains("there is no exchange 99"))
        #expect(self.run("test", "--show", "1", "--explain", "1").code == 64)
    }

    @Test
    func `proxyctl rule test counts exchanges that a stop rule keeps from reaching later rules`()
        throws
    {
        try givenRules()
        let added = run("add", "alone", "--when", "host=host.test", "--stop", "--first")
        #expect(added.code == 0, "\(added.errors)")
        let test = run("test")
        #expect(test.lines[1].hasPrefix("alone    2 of 6"))
        #expect(test.lines[2].contains("2 not reached: alone stops"))
    }

    @Test func `proxyctl rule test --file tries the rules of another file without installing it`()
        throws
    {
        let other = try folder.write("other.toml", Self.rules)
        #expect(run("test", "--file", other).lines.count == 3)
        #expect(run("test", "--file", other, "--rule", "none").code == 1)
        #expect(run("test", "--file", folder.path + "/none.toml").code == 78)
        #expect(!folder.names.contains("rules.toml"))
    }

    // MARK: Maps

    @Test func `proxyctl rule map saves a captured response body and adds a rule that serves it`()
        throws
    {
        let body = folder.path + "/body.json"
        let run = run("map", "1", "--output", body)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.lines.last == "the rule \"map /search\" serves \(body)")
        #expect(
            try folder.content(of: "body.json")
                == Array(#"{"n": 1.50, "list": [true, null], "s": "é"}"#.utf8))
        #expect(try text().contains("Content-Type: application/json"))
        #expect(self.run("test", "--expect", "map /search=1").code == 0)
        #expect(self.run("map", "1", "--output", body).errors.contains("already exists"))
        // Without --output, into a folder of the data directory, with the ending of its type.
        #expect(self.run("map", "1", "--name", "m").code == 0)
        let served = FileManager.default.contents(
            atPath: store.directoryPath + "/served/search-1.json")
        #expect(served?.isEmpty == false)
    }

    @Test(arguments: ["::1", "a-b.test", "x_y.test", "münchen.test"])
    func `a rule added by rule map matches the mapped exchange, even if host or path is unusual`(
        host: String
    ) throws {
        let exchange = SampleExchange.exchange(
            .get, SampleExchange.url(host, "/a\"b\\c(d)?q"),
            response: SampleExchange.response(200, [], Array("x".utf8)))
        let store = try SampleStore([exchange])
        let config = ["--config", folder.path + "/proxyd.toml"]
        let arguments = ["--data-dir", store.directoryPath, "rule"]
        let map = CommandRun(
            arguments + ["map", "1", "--name", "m", "--output", folder.path + "/x"] + config)
        #expect(map.code == 0, "\(map.errors)")
        let trial = CommandRun(arguments + ["test", "--expect", "m=1"] + config)
        #expect(trial.code == 0, "\(trial.errors)")
    }

    @Test(arguments: ["4", "99"])
    func `proxyctl rule map fails for an exchange that is unknown or has no response`(id: String)
        throws
    {
        let run = run("map", id, "--output", folder.path + "/x")
        #expect(run.code == 1)
        #expect(folder.names == ["proxyd.toml"])
    }
}
