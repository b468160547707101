internal import ArgumentParser
internal import Glibc
internal import ProxydAgents
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydOperations

/// What agents may see and do; nothing but reading without credentials by default.
struct AgentOptions: ParsableArguments {
    @Flag(
        name: .customLong("allow-sql"),
        help: "Let agents run read-only SQL, which reads around the removal of credentials.")
    var allowsSQL = false
    @Option(
        name: .customLong("allow-replay"),
        help: ArgumentHelp(
            "Let agents send requests to these hosts again: api.test, *.test, 10.0.0.0/8, each "
                + "with or without a port; repeatable.", valueName: "host"))
    var replayHosts: [String] = []
    @Flag(
        name: .customLong("allow-annotations"), help: "Let agents change notes, tags and pins.")
    var allowsAnnotations = false
    @Option(
        name: [.customLong("export-to"), .customLong("export-directory")],
        help: ArgumentHelp("Let agents export into this directory.", valueName: "dir"))
    var exportDirectory: String?
    @Flag(name: .customLong("show-secrets"), help: "Show credentials to agents.")
    var showsSecrets = false
    @Option(
        name: .customLong("redact-header"),
        help: ArgumentHelp("Also hide the values of this field; repeatable.", valueName: "name"))
    var fieldNames: [String] = []
    @Option(
        name: .customLong("redact-parameter"),
        help: ArgumentHelp(
            "Also hide the values of this parameter; repeatable.", valueName: "name"))
    var parameterNames: [String] = []

    func validate() throws {
        if (fieldNames + parameterNames).contains("") {
            throw ValidationError("a name to hide must not be empty")
        }
        if showsSecrets, !(fieldNames + parameterNames).isEmpty {
            throw ValidationError("--show-secrets hides nothing, so no names can be added")
        }
        _ = try patterns()
    }

    /// Whether an option was given that only matters to agents.
    var isUsed: Bool {
        allowsSQL || allowsAnnotations || showsSecrets || exportDirectory != nil
            || !(replayHosts + fieldNames + parameterNames).isEmpty
    }

    func policy() throws -> AgentPolicy {
        var policy = AgentPolicy()
        policy.allowsSQL = allowsSQL
        policy.allowsAnnotations = allowsAnnotations
        policy.showsSecrets = showsSecrets
        policy.hiddenNames = HiddenNames(fields: fieldNames, parameters: parameterNames)
        policy.exportDirectory = try exportDirectory.map(AgentOptions.existing)
        let patterns = try patterns()
        if !patterns.isEmpty {
            policy.allowsReplay = { host, port in
                patterns.contains { $0.matches(host: host, port: port) }
            }
        }
        return policy
    }

    private func patterns() throws -> [HostPattern] {
        do throws(ConfigurationValueError) {
            var patterns: [HostPattern] = []
            for text in replayHosts { patterns.append(try HostPattern(text)) }
            return patterns
        } catch {
            throw ValidationError("--allow-replay: \(error.message)")
        }
    }

    /// The absolute path of a directory that exists, so that an agent can find its files.
    private static func existing(_ path: String) throws -> String {
        var facts = stat()
        guard let absolute = realpath(path, nil), stat(path, &facts) == 0,
            facts.st_mode & S_IFMT == S_IFDIR
        else { throw CommandFailure("--export-to: there is no directory \(path)", code: .usage) }
        defer { free(absolute) }
        return String(cString: absolute)
    }
}
