internal import Capture
internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydRules
internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc

/// The rules file: the one that the running daemon uses, or else the one that a daemon would use.
struct RulesAccess {
    let path: String
    /// The daemon's report on its rules, or nil if none is running.
    let inForce: RulesStatus?
    private let directory: DataDirectory

    init(_ directory: DataDirectory, configurationFile: String? = nil) throws {
        self.directory = directory
        inForce = try RulesAccess.told(directory) { (client) throws(ControlError) in
            try client.rules()
        }
        let path = try inForce?.file ?? RulesAccess.standardFile(configurationFile)
        guard let path else { throw CommandFailure("there is no place for a rules file: set HOME") }
        self.path = path
    }

    private static func standardFile(_ flag: String?) throws -> String? {
        let locator = ConfigurationLocator(environment: Environment.current.variables)
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
        _ directory: DataDirectory, _ ask: (ControlClient) throws(ControlError) -> RulesStatus
    ) throws -> RulesStatus? {
        guard let client = try WritingProcess.daemon(directory) else { return nil }
        do throws(ControlError) {
            return try ask(client)
        } catch {
            switch error.kind {
            case .badRules:
                throw RulesFailure.mistakes(error.message.split(separator: "\n").map(String.init))
            case .badMessage:
                throw CommandFailure(
                    "the daemon is older than this proxyctl and does not support rules")
            default: throw CommandFailure(error.message)
            }
        }
    }

    /// Makes the daemon read the file again; returns nil if none is running.
    func reload() throws -> RulesStatus? {
        try RulesAccess.told(directory) { (client) throws(ControlError) in
            try client.reloadRules()
        }
    }

    /// Changes the rules in the daemon's memory; returns nil if none is running.
    func tell(_ change: RulesUpdate) throws -> RulesStatus? {
        try RulesAccess.told(directory) { (client) throws(ControlError) in
            try client.changeRules(change)
        }
    }

    // MARK: Text

    /// The text of the file; empty if it does not exist.
    func read() throws -> String {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return "" }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("\(path) is not a file")
        }
        do throws(ConfigurationValueError) {
            return try ConfigurationFile.contents(of: path)
        } catch {
            throw CommandFailure("\(path): \(error.message)")
        }
    }

    /// The text of the rules in effect, which differs from the file's if there are temporary
    /// changes or if the file contains errors.
    func readInForce() throws -> String { try inForce?.text ?? read() }

    /// - Throws: Its errors, with the exit code for errors in a file.
    static func parse(_ text: String, _ file: String) throws -> RuleSet {
        do {
            return try RulesFile.read(text, file: file, now: SystemClock.wallNow())
        } catch {
            throw RulesAccess.failure(error)
        }
    }

    /// All errors in a file, one per line.
    static func failure(_ error: ConfigurationError) -> CommandFailure {
        RulesFailure(error).told()
    }
}

/// Changes of rules, in the file or in the daemon's memory. Nothing here prints.
extension RulesAccess {
    /// Makes a change and puts it into effect.
    /// - Returns: The rules in effect, or nil if no daemon is running.
    /// - Throws: `RulesFailure`; `CommandFailure` if the daemon cannot be reached.
    func change(_ change: RuleChange, isTemporary: Bool) throws -> RulesStatus? {
        guard isTemporary else {
            let before = try readFile()
            return try write(try edited(before, change), over: before)
        }
        guard let told = try tell(.change(change)) else {
            throw RulesFailure.refused(
                "no daemon is running: temporary rules exist only in its memory")
        }
        return told
    }

    private func edited(_ before: String, _ change: RuleChange) throws -> String {
        do {
            var text = try RulesText(before, file: path)
            try change.apply(to: &text)
            return text.text
        } catch let error as ConfigurationError {
            throw RulesFailure(error)
        } catch let error as RulesText.Problem {
            throw RulesFailure.refused("\(path): \(error)\(hint(error))")
        }
    }

    private func hint(_ problem: RulesText.Problem) -> String {
        guard case .noRule(let name) = problem,
            inForce?.rules.contains(where: { $0.name == name && $0.isTemporary }) ?? false
        else { return "" }
        return "; it is a temporary rule"
    }

    /// Writes the file if its text is still `before`, and puts it into effect. An invalid text is
    /// not written.
    /// - Returns: The rules in effect, or nil if no daemon is running.
    func write(_ text: String, over before: String) throws -> RulesStatus? {
        do throws(ConfigurationError) {
            _ = try RulesFile.read(text, file: path, now: SystemClock.wallNow())
        } catch {
            throw RulesFailure(error)
        }
        guard try readFile() == before else {
            throw RulesFailure.fileNotWritten(
                "\(path) was changed in the meantime: nothing was written")
        }
        guard text != before else { return inForce }
        do {
            try writeFile(text)
        } catch let failure as CommandFailure {
            throw RulesFailure.fileNotWritten(failure.description)
        }
        return try reload()
    }

    private func readFile() throws -> String {
        do {
            return try read()
        } catch let failure as CommandFailure {
            throw RulesFailure.fileNotWritten(failure.description)
        }
    }

    /// Replaces the file atomically, so that no reader sees half of it.
    private func writeFile(_ text: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = try AtomicFile(path, keepsAccess: true)
        file.sink.write(Array(text.utf8))
        try file.commit()
    }
}

extension RulesStatus {
    var rulesByName: [String: Rule] {
        Dictionary(rules.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
}

/// A captured response that a rule is to serve from a file.
struct RuleMapping {
    /// The name of the exchange with the complete body.
    private let exchangeName: String
    private let response: Response
    /// The absolute path of the file for the body.
    let file: String
    let rule: String
    let change: RuleChange
    /// The folder to create for the file; nil if it is to exist.
    private let newFolder: String?

    /// The folder for files whose place is not named.
    static func folder(_ directory: DataDirectory) -> String { directory.path + "/served" }

    /// A path in the folder that no file has yet: `order-7.json`, `order-7-2.json`.
    static func freePath(_ name: String, _ directory: DataDirectory) -> String {
        let path = folder(directory) + "/" + name
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let free = (2...).lazy.map { number in
            folder(directory) + "/" + name[..<dot] + "-\(number)" + name[dot...]
        }
        let isTaken = FileManager.default.fileExists(atPath: path)
        guard isTaken else { return path }
        return free.first { !FileManager.default.fileExists(atPath: $0) } ?? path
    }

    /// - Parameters:
    ///   - output: Where the body is saved; nil for a name from the URL in the folder for such
    ///     files.
    ///   - name: The rule's name; nil for `map` and the path.
    /// - Throws: `CommandFailure` if there is no complete body, or the file already exists.
    init(
        _ id: ExchangeID, _ reader: any ExchangeReading, _ directory: DataDirectory,
        output: String?, name: String?
    ) throws {
        let found = try reader.exchange(id, bodyByteCountMax: .max)
        let named = try reader.name(of: id)
        guard let found else { throw CommandFailure("there is no exchange \(named)") }
        guard let url = found.request.url, let response = found.response,
            let method = found.request.method
        else { throw CommandFailure("exchange \(named) has no response to serve") }
        guard !response.body.isTruncated else {
            throw CommandFailure("the body of exchange \(named) was not recorded completely")
        }
        exchangeName = named
        self.response = response
        let row = try reader.row(id)
        let folder = RuleMapping.folder(directory)
        let path =
            output ?? RuleMapping.freePath(row.map(FileNames.response) ?? named, directory)
        file = URL(fileURLWithPath: path).path
        newFolder = path.hasPrefix(folder + "/") ? folder : nil
        rule = name ?? "map \(url.pathText)"
        change = .add(
            name: rule,
            lines: RuleMapping.lines(
                rule, "method=\(method) host=\(url.host) path=\(RuleMapping.quoted(url.pathText))",
                serving: file, as: response.head.fields.value(.contentType)),
            place: .last)
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure("\(file) already exists: choose another name")
        }
    }

    private static func lines(
        _ rule: String, _ filter: String, serving file: String, as type: String?
    ) -> String {
        let headers = type.map { ", headers = \(["Content-Type: \($0)"].tomlText)" } ?? ""
        let table = "{ serve = \(file.tomlText)\(headers) }"
        return RuleShortForm.rule(rule, when: filter, actions: [(.request, table)])
    }

    /// Saves the body and adds the rule; if it cannot be added the file is removed.
    func make(_ add: (RuleChange) throws -> Void) throws {
        let decoded = BodyContent(response.body, response.head.fields)
        guard decoded.failure == nil else {
            throw CommandFailure("the body of exchange \(exchangeName) cannot be decoded")
        }
        if let newFolder {
            try? FileManager.default.createDirectory(
                atPath: newFolder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        let saved = try AtomicFile(file)
        saved.sink.write(decoded.bytes)
        try saved.commit()
        do {
            try add(change)
        } catch {
            try? FileManager.default.removeItem(atPath: file)
            throw error
        }
    }

    /// The result as a message for users.
    var words: String { "the rule \"\(rule)\" serves \(file)" }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}

/// Why rules were not changed. Nothing has been written.
enum RulesFailure: Error {
    /// The errors in the rules, one per element.
    case mistakes([String])
    /// The change is impossible, no matter who requests it.
    case refused(String)
    /// The file cannot be written, or was changed meanwhile; the daemon's memory can be changed.
    case fileNotWritten(String)

    init(_ error: ConfigurationError) { self = .mistakes(error.problems.map(\.description)) }

    /// The whole failure as a one-line message for users.
    var words: String {
        switch self {
        case .mistakes(let problems): problems.joined(separator: "; ")
        case .refused(let words), .fileNotWritten(let words): words
        }
    }

    /// Prints all but the last line; the returned failure has that line and the exit code.
    func told() -> CommandFailure {
        guard case .mistakes(let problems) = self else { return CommandFailure(words) }
        for problem in problems.dropLast() { Report.warn(problem) }
        return CommandFailure(problems.last, code: .configuration)
    }
}
