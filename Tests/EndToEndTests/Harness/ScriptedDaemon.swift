import Foundation
import ProxydConfinement
import ProxydTestSupport

/// A daemon whose rules ask a Python script about everything.
struct ScriptedDaemon {
    static let python = "/usr/bin/python3"

    /// Whether scripts can be run here, and confined.
    static let isPossible =
        FileManager.default.isExecutableFile(atPath: python) && (try? Landlock.version()) != nil

    let daemon: Daemon
    let origin: ReplayOrigin
    private let data: ScratchFolder

    /// - Parameters:
    ///   - body: What the script does with each message `m`; it begins an answer `a`.
    ///   - rules: The rules; the script is `s`.
    ///   - options: More lines of `[[script]]`.
    ///   - configuration: The text of proxyd.toml, in which FOLDER is that of the script.
    ///   - prepare: Makes what is to be in that folder.
    init(
        _ body: String, rules: String, options: String = "", configuration: String = "",
        trusting certificate: TestCertificate? = nil, launcher: [String] = [],
        prepare: (ScratchFolder) throws -> Void = { _ in }
    ) throws {
        data = try ScratchFolder()
        try prepare(data)
        origin = try ReplayOrigin()
        try ScriptedDaemon.write(body, to: data.path)
        try ScriptedDaemon.write(rules: rules, options: options, to: data.path)
        daemon = try Daemon(
            trusting: certificate,
            configuration: configuration.replacing("FOLDER", with: data.path),
            data: data, launcher: launcher)
    }

    static func write(_ body: String, to folder: String) throws {
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
        let script = """
            import base64, json, os, socket, sys, time
            for line in sys.stdin:
                m = json.loads(line)
                a = {"id": m["id"]}
            \(lines.map { "    " + $0 }.joined(separator: "\n"))
                print(json.dumps(a), flush=True)

            """
        // As editors do it: the whole file in one step.
        try script.write(toFile: folder + "/hook.py", atomically: true, encoding: .utf8)
    }

    static func write(rules: String, options: String, to folder: String) throws {
        let text = """
            [[script]]
            name = "s"
            command = ["python3", "hook.py"]
            \(options)
            \(rules)

            """
        try text.write(toFile: folder + "/rules.toml", atomically: true, encoding: .utf8)
    }

    /// Writes another configuration and has the daemon read it.
    func reload(_ configuration: String) throws {
        try configuration.replacing("FOLDER", with: folder).write(
            toFile: folder + "/proxyd.toml", atomically: true, encoding: .utf8)
        daemon.service.signal(SIGHUP)
        try waitForLog("configuration reloaded")
    }

    func write(_ body: String) throws { try ScriptedDaemon.write(body, to: data.path) }

    func write(rules: String, options: String = "") throws {
        try ScriptedDaemon.write(rules: rules, options: options, to: data.path)
    }

    /// The folder of the script; the data directory is in it.
    var folder: String { data.path }

    func url(_ path: String) -> String { "http://\(origin.authority)\(path)" }

    /// What the script says about a request, where it answers with text.
    func ask(_ path: String = "/") throws -> String { try daemon.curl(url(path)).text }

    /// What the record says that rules did: outcome and detail.
    func outcomes(_ row: Row) throws -> [String] {
        let applied = try daemon.show(row).object["applied_rules"] as? [[String: Any]] ?? []
        return applied.map { rule in
            [rule["outcome"], rule["detail"]].compactMap { $0 as? String }.joined(separator: ", ")
        }
    }

    /// Asks until the answer is another one than while the script rests.
    func askUntil(_ isRight: (String) -> Bool, _ path: String = "/") throws -> String {
        var last = ""
        return try Eventually.value(
            orFail: "the script says \(last): \(daemon.service.errors)"
        ) {
            last = try ask(path)
            return isRight(last) ? last : nil
        }
    }

    /// Waits until the log has a text.
    func waitForLog(_ text: String) throws {
        try daemon.service.waitForLog(text)
    }
}
