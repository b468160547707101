internal import Logging
internal import ProxydConfinement
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydRuleActing
internal import ProxydRules

/// Which scripts may be run here, and how.
struct ScriptRules: Sendable {
    private let dataDirectory: String
    private let isConfined: Bool

    /// By the configuration.
    init(_ configuration: Configuration, dataDirectory: String) {
        self.dataDirectory = dataDirectory
        isConfined = !configuration.scripts.isUnconfined
    }

    /// What they are run with. The program that becomes one is this one.
    var surroundings: ScriptSurroundings {
        let logger = Logger(label: "proxyd.scripts")
        return ScriptSurroundings(
            launcher: "/proc/self/exe", dataDirectory: dataDirectory, isConfined: isConfined
        ) { script, text in logger.notice("script \(script): \(text)") }
    }

    /// The folder that a file lies in.
    static func folder(of file: String) -> String {
        let folder = file.prefix(upTo: file.lastIndex(of: "/") ?? file.startIndex)
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Refuses scripts that cannot be confined.
    /// - Throws: each with its line.
    func check(_ rules: RuleSet, of file: String) throws(ConfigurationError) {
        guard isConfined, !rules.scripts.isEmpty, let problem = problem(file) else { return }
        throw ConfigurationError(
            problems: rules.scripts.map { script in
                ConfigurationProblem(
                    location: "\(file):\(script.line)",
                    message: "script \(script.name) is not run: \(problem)")
            })
    }

    private func problem(_ file: String) -> String? {
        if ConfinedCommand.isHidden(ScriptRules.folder(of: file), by: dataDirectory) {
            return "it could not read its own folder, which lies in the data directory"
        }
        do throws(Landlock.Missing) {
            _ = try Landlock.version()
            return nil
        } catch {
            return "\(error), so that it cannot be confined; "
                + "scripts.unconfined = true in proxyd.toml runs it as it is"
        }
    }
}
