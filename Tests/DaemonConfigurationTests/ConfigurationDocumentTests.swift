import ProxydConfigurationText
import ProxydTestSupport
import Testing

@testable import ProxydDaemonConfiguration

/// The documented configuration and the program's are the same.
struct ConfigurationDocumentTests {
    @Test func `the shipped configuration file is valid and equals the defaults`() throws {
        let text = try RepositoryFiles.text("config/proxyd.toml")
        #expect(try ConfigurationReader.read(text, file: "proxyd.toml") == Configuration())
    }

    @Test func `the shipped configuration file shows every key with its default`() throws {
        let shipped = try RepositoryFiles.text("config/proxyd.toml")
        var table = ""
        var shown: [String: String] = [:]
        for line in shipped.split(separator: "\n") {
            if line.hasPrefix("[") { table = line.dropFirst().dropLast() + "." }
            // Prose has a space after its #, keys have none.
            guard line.hasPrefix("#"), !line.hasPrefix("# "), line != "#" else { continue }
            let parts = line.dropFirst().split(separator: " = ", maxSplits: 1)
            try #require(parts.count == 2, "\(line)")
            shown[table + parts[0]] = String(parts[1])
        }
        #expect(shown == defaults)
    }

    @Test
    func `the shipped configuration file with every key uncommented still equals the defaults`()
        throws
    {
        let text = try RepositoryFiles.text("config/proxyd.toml")
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }
            .joined(separator: "\n")
        #expect(try ConfigurationReader.read(text, file: "proxyd.toml") == Configuration())
    }

    @Test
    func `the configuration reference lists every key, its default and whether it needs a restart`()
        throws
    {
        let rows = try RepositoryFiles.text("docs/CONFIGURATION.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimming(while: \.isWhitespace) } }
            .filter { $0.count == 5 }
        var documented: [String: [String]] = [:]
        for row in rows {
            documented[row[0].trimming { $0 == "`" }] = [row[1].trimming { $0 == "`" }, row[3]]
        }
        let expected = ConfigurationKey.all.map { key in
            (
                key.path,
                [key.tomlText(Configuration()), key.effect == .onReload ? "reload" : "restart"]
            )
        }
        #expect(documented == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test func `the document of defaults mentions every key with a numeric default`() throws {
        let reasons = try RepositoryFiles.text("docs/DEFAULTS.md")
        for key in ConfigurationKey.all where Int(key.tomlText(Configuration())) != nil {
            let isRetention = key.path.hasPrefix("recording.retention_")
            let name = isRetention ? "recording.retention_*" : key.path
            #expect(reasons.contains("`\(name)`"), "\(key.path)")
        }
    }

    private var defaults: [String: String] {
        Dictionary(
            uniqueKeysWithValues: ConfigurationKey.all.map {
                ($0.path, $0.tomlText(Configuration()))
            }
        )
    }
}

extension StringProtocol {
    fileprivate func trimming(while isUnwanted: (Character) -> Bool) -> String {
        let head = drop(while: isUnwanted)
        return String(String(head.reversed()).drop(while: isUnwanted).reversed())
    }
}
