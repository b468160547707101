package import ProxydConfigurationText
internal import Logging

/// What the command line says; it goes before the file.
package struct ConfigurationOverrides: Sendable, Equatable {
    /// `--listen`, each time it was given; empty leaves the file's addresses.
    package var listen: [String] = []
    /// `--log-level`.
    package var logLevel: String?

    /// No overrides, or these.
    package init(listen: [String] = [], logLevel: String? = nil) {
        self.listen = listen
        self.logLevel = logLevel
    }

    /// Sets what was given; returns what is wrong with it, each with its flag.
    package func apply(to configuration: inout Configuration) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func read<Value: ConfigurationStringValue>(_ text: String, flag: String) -> Value? {
            do {
                return try Value.value(text)
            } catch {
                problems.append(ConfigurationProblem(location: flag, message: error.message))
                return nil
            }
        }
        if !listen.isEmpty {
            configuration.listen.addresses = listen.compactMap { read($0, flag: "--listen") }
        }
        if let logLevel, let level: Logger.Level = read(logLevel, flag: "--log-level") {
            configuration.logLevel = level
        }
        return problems
    }
}
