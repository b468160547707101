internal import Glibc
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydParameterCoding
internal import Synchronization

/// The files with passwords and keys that scripts may not read, wherever they are. They are asked
/// for before a script is asked anything, because links and files of other programs may change.
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

    /// Uses the files of another configuration.
    func use(_ configuration: Configuration) {
        files.withLock { $0.configured = configuration.secretFiles }
    }

    /// Sets the rules file, if there are secrets in it.
    func use(rules file: String?) { files.withLock { $0.rules = file } }

    /// All of them.
    var paths: [String] {
        let (configured, rules) = files.withLock { ($0.configured, $0.rules) }
        return configured + [rules].compactMap { $0 } + deliverers
    }

    /// Those of proxyship, whose configuration is its own: where passwords and keys for PostgreSQL
    /// are by default (PostgreSQL manual, 34.16 and 34.19.5), and where its files say.
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

    /// The files that the address of a central store names in a file, mistakes or not.
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
