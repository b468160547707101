internal import Capture
internal import FoundationEssentials
internal import Glibc
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydRules
internal import ProxydSystem

/// The rules file: the one that the running daemon uses, or else the one that a daemon would use.
struct RulesAccess {
    let path: String
    /// The daemon's report on its rules, or nil if none is running.
    let inForce: RulesMessage?
    private let directory: DataDirectory

    init(_ directory: DataDirectory, configurationFile: String? = nil) throws {
        self.directory = directory
        inForce = try RulesAccess.told(directory) { (client) throws(ControlError) in
            try client.rules()
        }
        let path = try inForce?.file ?? RulesAccess.standardFile(configurationFile)
        guard let path else {
            throw CommandFailure("there is no place for a rules file: set HOME")
        }
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
        _ directory: DataDirectory, _ ask: (ControlClient) throws(ControlError) -> RulesMessage
    ) throws -> RulesMessage? {
        guard let client = try StoreWriter.daemon(directory) else { return nil }
        do throws(ControlError) {
            return try ask(client)
        } catch {
            switch error.kind {
            case .badRules:
                throw RulesFailure.mistakes(
                    error.message.split(separator: "\n").map(String.init))
            case .badMessage:
                throw CommandFailure(
                    "the daemon is older than this proxyctl and does not support rules")
            default: throw CommandFailure(error.message)
            }
        }
    }

    /// Makes the daemon read the file again; returns nil if none is running.
    func reload() throws -> RulesMessage? {
        try RulesAccess.told(directory) { (client) throws(ControlError) in
            try client.reloadRules()
        }
    }

    /// Changes the rules in the daemon's memory; returns nil if none is running.
    func tell(_ change: RuleChangeMessage) throws -> RulesMessage? {
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

    /// Parses the rules in a text.
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
