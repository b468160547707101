internal import Capture
internal import Foundation
internal import Glibc
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydRules

/// The file of rules: the one that the running daemon goes by, else the one that a daemon would.
struct RulesAccess {
    let path: String
    /// What the daemon says of it; nil where none runs.
    let inForce: RulesMessage?
    private let directory: DataDirectory

    init(_ directory: DataDirectory, configurationFile: String? = nil) throws {
        self.directory = directory
        inForce = try RulesAccess.told(directory) { (client) throws(ControlError) in
            try client.rules()
        }
        let path = try inForce?.file ?? RulesAccess.standardFile(configurationFile)
        guard let path else {
            throw CommandFailure("there is no place for a file of rules: set HOME")
        }
        self.path = path
    }

    private static func standardFile(_ flag: String?) throws -> String? {
        let locator = ConfigurationLocator(environment: Surroundings.current.environment)
        let file = locator.configurationFile(flag: flag)
        do {
            let configuration = try Configuration.load(file: file)
            return try locator.rulesFile(
                configured: configuration.rules.file, configurationFile: file)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    private static func told(
        _ directory: DataDirectory, _ ask: (ControlClient) throws(ControlError) -> RulesMessage
    ) throws -> RulesMessage? {
        guard let client = try StoreChanger.daemon(directory) else { return nil }
        do throws(ControlError) {
            return try ask(client)
        } catch {
            guard error.kind == .badMessage else { throw CommandFailure(error.message) }
            throw CommandFailure("the daemon is older than this proxyctl and knows no rules")
        }
    }

    /// Has the daemon read the file again; nil where none runs.
    func reload() throws -> RulesMessage? {
        try RulesAccess.told(directory) { (client) throws(ControlError) in
            try client.reloadRules()
        }
    }

    // MARK: Text

    /// The text of the file; empty where there is none.
    func read() throws -> String {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return "" }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("\(path) is no file")
        }
        do throws(ConfigurationValueError) {
            return try ConfigurationFile.contents(of: path)
        } catch {
            throw CommandFailure("\(path): \(error.message)")
        }
    }

    /// The rules of a text.
    /// - Throws: what is wrong with it, with the exit status of a mistake in a file.
    static func parse(_ text: String, _ file: String) throws -> RuleSet {
        do {
            return try RulesFile.read(text, file: file, now: WallClock.now())
        } catch {
            throw RulesAccess.failure(error)
        }
    }

    /// All that is wrong with a file, a line each.
    static func failure(_ error: ConfigurationError) -> CommandFailure {
        failure(error.problems.map(\.description))
    }

    /// All that is wrong with a file, a line each.
    static func failure(_ problems: [String]) -> CommandFailure {
        for problem in problems.dropLast() { Report.warn(problem) }
        return CommandFailure(problems.last, code: .configuration)
    }

    /// Edits the file, puts it in force, and says what came of it. A text that is wrong is not
    /// written.
    func edit(_ change: (inout RulesText) throws -> Void) throws {
        let before = try read()
        var text: RulesText
        do {
            text = try RulesText(before, file: path)
            try change(&text)
        } catch let error as ConfigurationError {
            throw RulesAccess.failure(error)
        } catch let error as RulesText.Problem {
            throw CommandFailure("\(path): \(error)")
        }
        try replace(before, with: text.text)
    }

    /// Writes the file, where it is still what it was.
    func replace(_ before: String, with text: String) throws {
        _ = try RulesAccess.parse(text, path)
        guard try read() == before else {
            throw CommandFailure("\(path) was changed meanwhile: nothing was written")
        }
        guard text != before else { return }
        try write(text)
        guard let inForce = try reload() else {
            return Report.warn("no daemon runs: \(path) counts when one does")
        }
        for problem in inForce.problems { Report.warn(problem) }
    }

    /// Another file takes the place of the old one, so that no one reads half of it.
    private func write(_ text: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = try AtomicFile(path, keepsAccess: true)
        file.sink.write(Array(text.utf8))
        try file.commit()
    }
}
