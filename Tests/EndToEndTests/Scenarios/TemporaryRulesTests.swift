import Foundation
import ProxydTestSupport
import Testing

/// Rules that are in the daemon's memory only.
@Suite(.timeLimit(.minutes(10)))
struct TemporaryRulesTests {
    private let data: ScratchFolder
    private let origin: ReplayOrigin
    private let daemon: Daemon
    private static let file =
        "# mine\n[[rule]]\nname = \"a\"\nwhen = 'path=/a'\n"
        + "request = [{ block = 401 }]\n"

    init() throws {
        data = try ScratchFolder()
        origin = try ReplayOrigin()
        try Self.file.write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        daemon = try Daemon(data: data)
    }

    private func status(_ path: String, _ daemon: Daemon? = nil) throws -> String {
        try (daemon ?? self.daemon).curl(
            "-o", "/dev/null", "-w", "%{http_code}", "http://\(origin.authority)\(path)"
        ).text
    }

    @discardableResult
    private func rule(_ arguments: String...) throws -> Tool.Outcome {
        let outcome = try daemon.proxyctl(["rule"] + arguments)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome
    }

    private func listed() throws -> [Row] {
        try rule("list", "--json").text.split(separator: "\n").map { try Row(json: String($0)) }
    }

    private var text: String {
        get throws { try String(contentsOfFile: data.path + "/rules.toml", encoding: .utf8) }
    }

    @Test
    func `temporary rules take effect immediately, are listed as temporary and are never saved`()
        throws
    {
        try rule("add", "t", "--when", "path=/t", "--request", "block 402", "--temporary")
        try rule("disable", "a", "--temporary")
        try rule("move", "t", "--first", "--temporary")
        #expect(try status("/t") == "402")
        #expect(try status("/a") == "200")
        #expect(try text == Self.file)
        let rules = try listed()
        #expect(rules.map { $0.text("name") } == ["t", "a"])
        #expect(rules.map { $0.object["temporary"] as? Bool } == [true, true])
        #expect(rules.map { $0.object["enabled"] as? Bool } == [true, false])
        #expect(rules.map { $0.int("line") } == [nil, 2])
        #expect(rules.first?.int("hits") == 1)
        #expect(rules.first?.int("changed") == 1)
        #expect(try rule("list").text.contains("~"))
        #expect(try rule("show", "t").text.contains("block = 402"))
        try rule("enable", "a", "--temporary")
        try rule("remove", "t", "--temporary")
        #expect(try status("/t") == "200")
        #expect(try status("/a") == "401")
        #expect(try !rule("list").text.contains("~"))
    }

    @Test func `temporary rules survive changes of the rules file, but not a restart of proxyd`()
        throws
    {
        try rule("add", "t", "--when", "path=/t", "--request", "block 402", "--temporary")
        try rule("remove", "a", "--temporary")
        #expect(try rule("list").errors.contains("removed until the daemon ends: a"))
        try rule("add", "n", "--when", "path=/n", "--request", "block 403")
        #expect(try text.contains("name = \"a\"") && text.contains("name = \"n\""))
        #expect(try ["/a", "/n", "/t"].map { try status($0) } == ["200", "403", "402"])
        // What the file has of that name counts, and the other one is told.
        try "[[rule]]\nname = \"t\"\nrequest = [{ block = 404 }]\n".write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        let reloaded = try rule("reload")
        #expect(reloaded.errors.contains("dropped: add t: there is a rule named \"t\" already"))
        #expect(try status("/t") == "404")
        try Self.file.write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        try rule("reload")
        #expect(try status("/t") == "402")
        #expect(daemon.stop() == 0)
        let next = try Daemon(data: data)
        #expect(try status("/t", next) == "200")
        #expect(try status("/a", next) == "401")
    }

    @Test func `proxyctl rule reload --forget removes all temporary rules`() throws {
        try rule("add", "t", "--request", "block 402", "--temporary")
        #expect(try status("/x") == "402")
        try rule("reload", "--forget")
        #expect(try status("/x") == "200")
        #expect(try listed().map { $0.text("name") } == ["a"])
    }

    @Test func `a temporary rule with a mistake is rejected like one in the rules file`() throws {
        let wrong = try daemon.proxyctl([
            "rule", "add", "t", "--request", "{ blok = 402 }", "--temporary",
        ])
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("--request: unknown verb blok; did you mean block?"))
        let taken = try daemon.proxyctl([
            "rule", "add", "a", "--request", "block 402", "--temporary",
        ])
        #expect(taken.status == 1)
        #expect(taken.errors.contains("there is a rule named \"a\" already"))
        let file = try daemon.proxyctl(["rule", "enable", "t"])
        #expect(file.status == 1)
        #expect(try status("/x") == "200")
        #expect(try listed().count == 1)
    }

    @Test func `a broken rules file changes nothing, and temporary rules can still be added`()
        throws
    {
        try rule("add", "t", "--when", "path=/t", "--request", "block 402", "--temporary")
        try "[[rule]\n".write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        #expect(try daemon.proxyctl(["rule", "reload"]).status == 78)
        try rule("add", "u", "--when", "path=/u", "--request", "block 403", "--temporary")
        #expect(try ["/a", "/t", "/u"].map { try status($0) } == ["401", "402", "403"])
        let list = try daemon.proxyctl(["rule", "list", "--json"])
        #expect(list.status == 78)
        #expect(list.text.split(separator: "\n").count == 3)
        #expect(list.errors.contains("rules.toml:1: "))
        let state = try daemon.proxyctl(["status"])
        #expect(state.text.contains("rules.toml:1: "))
    }

    @Test func `if the rules file cannot be written, proxyctl suggests --temporary`() throws {
        // No name is left for the file that is to take its place.
        let name = data.path + "/" + String(repeating: "r", count: 240)
        try Self.file.write(toFile: name, atomically: false, encoding: .utf8)
        #expect(daemon.stop() == 0)
        let next = try Daemon(configuration: "[rules]\nfile = \"\(name)\"\n", data: data)
        let refused = try next.proxyctl(["rule", "disable", "a"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("File name too long; --temporary changes"))
        #expect(try next.proxyctl(["rule", "disable", "a", "--temporary"]).status == 0)
        #expect(try status("/a", next) == "200")
    }

    @Test func `temporary rules cannot be changed without a running proxyd`() throws {
        #expect(daemon.stop() == 0)
        let outcome = try daemon.proxyctl([
            "rule", "disable", "a", "--temporary", "--config", data.path + "/proxyd.toml",
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no daemon is running"))
        #expect(try text == Self.file)
    }

    @Test func `a rule whose action cannot be applied to a message is counted as failed`() throws {
        try rule("add", "j", "--when", "path=/j", "--request", "set json:a=1", "--temporary")
        _ = try daemon.curl("-d", "no json", "http://\(origin.authority)/j")
        let row = try listed().first { $0.text("name") == "j" }
        #expect(row?.int("hits") == 1)
        #expect(row?.int("failed") == 1)
        #expect(row?.int("changed") == 0)
    }
}
