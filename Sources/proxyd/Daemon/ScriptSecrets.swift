internal import Glibc
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import Synchronization

/// The files with passwords and keys that scripts may not read, wherever they are. They are asked
/// for whenever a script is started.
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
        return text.split { "?&\"' \n".contains($0) }.compactMap { option in
            guard option.hasPrefix("passfile=") || option.hasPrefix("sslkey=") else { return nil }
            return decoded(option.drop { $0 != "=" }.dropFirst())
        }
    }

    /// A value with its percent-encoding removed.
    private static func decoded(_ value: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = value.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2,
                let decoded = UInt8(digits, radix: 16)
            {
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
