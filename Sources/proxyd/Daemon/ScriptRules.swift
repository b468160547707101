internal import Glibc
internal import Logging
internal import ProxydConfinement
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydRuleActing
internal import ProxydRules

/// Which scripts may be run, and how.
struct ScriptRules: Sendable {
    private let dataDirectory: String
    private let isConfined: Bool
    /// The files that they may not read.
    let secrets: ScriptSecrets

    /// Creates the rules from the configuration.
    init(_ configuration: Configuration, dataDirectory: String, environment: [String: String]) {
        self.dataDirectory = dataDirectory
        secrets = ScriptSecrets(configuration, environment: environment)
        isConfined = !configuration.scripts.isUnconfined
    }

    /// The environment that scripts run in. This program starts itself again to become the script.
    var surroundings: ScriptSurroundings {
        let logger = Logger(label: "proxyd.scripts")
        return ScriptSurroundings(
            launcher: "/proc/self/exe", dataDirectory: dataDirectory,
            secrets: { [secrets] in secrets.paths }, isConfined: isConfined
        ) { script, text in logger.notice("script \(script): \(text)") }
    }

    /// The directory that contains a file.
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
