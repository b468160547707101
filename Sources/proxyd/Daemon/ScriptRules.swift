internal import ProxydConfigurationText
internal import ProxydConfinement
internal import ProxydDaemonConfiguration
internal import ProxydParameterCoding
internal import ProxydRuleActing
internal import ProxydRules
internal import Glibc
internal import Logging
internal import Synchronization

struct ScriptRules: Sendable {
    private let dataDirectory: String
    private let isConfined: Bool
    let secrets: ScriptSecrets

    init(_ configuration: Configuration, dataDirectory: String, environment: [String: String]) {
        self.dataDirectory = dataDirectory
        secrets = ScriptSecrets(configuration, environment: environment)
        isConfined = !configuration.scripts.isUnconfined
    }

    /// The environment that scripts run in. This program starts itself again to become the script.
    var scriptEnvironment: ScriptEnvironment {
        let logger = Logger(label: "proxyd.scripts")
        return ScriptEnvironment(
            launcher: "/proc/self/exe", dataDirectory: dataDirectory,
            secrets: { [secrets] in secrets.paths }, isConfined: isConfined
        ) { script, text in logger.notice("script \(script): \(text)") }
    }

    static func folder(of file: String) -> String {
        let folder = file.prefix(upTo: file.lastIndex(of: "/") ?? file.startIndex)
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Rejects scripts that cannot be confined, or that other users could have written.
    /// - Throws: each mistake with its line.
    func check(_ rules: RuleSet, of file: String) throws(ConfigurationError) {
        guard !rules.scripts.isEmpty else { return }
        let general = isConfined ? problem(file) : nil
        let folder = ScriptRules.folder(of: file)
        let problems = rules.scripts.compactMap { script in
            (general ?? ScriptRules.writableByOthers(script, in: folder)).map { problem in
                ConfigurationProblem(
                    location: "\(file):\(script.line)",
                    message: "script \(script.name) is not run: \(problem)")
            }
        }
        if !problems.isEmpty { throw ConfigurationError(problems: problems) }
    }

    /// Why a script is rejected: others could change its files; nil if they cannot.
    private static func writableByOthers(_ script: RuleScript, in folder: String) -> String? {
        for word in script.program.command where !word.hasPrefix("/") {
            let path = folder + "/" + word
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            do throws(ConfigurationValueError) {
                try RulesFileAccess.check(path)
            } catch {
                return "\(path) \(error.message)"
            }
        }
        return nil
    }

    private func problem(_ file: String) -> String? {
        if ConfinedCommand.isHidden(ScriptRules.folder(of: file), by: dataDirectory) {
            return "the folder of the rules file is in the data directory, "
                + "which scripts cannot read"
        }
        do throws(Landlock.Missing) {
            _ = try Landlock.version()
            return nil
        } catch {
            return "\(error), so it cannot be confined; "
                + "scripts.unconfined = true in proxyd.toml runs it unconfined"
        }
    }
}

/// The files with passwords and keys that scripts may not read, wherever they are. They are looked
/// up before each question to a script, because links and files of other programs may change.
final class ScriptSecrets: Sendable {
    private struct Files {
        var configured: [String]
        var rules: String?
    }

    private let environment: [String: String]
    private let files: Mutex<Files>

    init(_ configuration: Configuration, environment: [String: String]) {
        self.environment = environment
        files = Mutex(Files(configured: configuration.secretFiles))
    }

    func use(_ configuration: Configuration) {
        files.withLock { $0.configured = configuration.secretFiles }
    }

    /// Sets the rules file, if there are secrets in it.
    func use(rules file: String?) { files.withLock { $0.rules = file } }

    var paths: [String] {
        let (configured, rules) = files.withLock { ($0.configured, $0.rules) }
        return configured + [rules].compactMap { $0 } + deliverers
    }

    /// proxyship's files, because its configuration is separate: the default places of passwords
    /// and keys for PostgreSQL (PostgreSQL manual, 34.16 and 34.19.5), and those that its files
    /// name.
    private var deliverers: [String] {
        let locator = ConfigurationLocator(environment: environment)
        let folders = locator.standardFiles.map(ScriptRules.folder)
        let home = environment["HOME"].map {
            [$0 + "/.pgpass", $0 + "/.postgresql/postgresql.key"]
        }
        let named = ["PGPASSFILE", "PGSSLKEY"].compactMap { environment[$0] }
        let all =
            named + (home ?? []) + folders.map { $0 + "/pgpass" }
            + folders.flatMap { ScriptSecrets.files(in: $0 + "/proxyship.toml") }
        return all.filter { $0.hasPrefix("/") }
    }

    /// The files that a central store's address in a file names, even if the file has mistakes.
    private static func files(in file: String) -> [String] {
        guard access(file, F_OK) == 0, let text = try? ConfigurationFile.contents(of: file) else {
            return []
        }
        let decoder = QueryDecoder(plusIsSpace: false)
        return text.split { "?&\"' \n".contains($0) }.compactMap { option in
            guard option.hasPrefix("passfile=") || option.hasPrefix("sslkey=") else { return nil }
            return decoder.decode(Array(option.utf8)).pairs.first?.value
        }
    }
}
