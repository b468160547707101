package import ProxydConfigurationText
internal import Logging

/// The command-line options that override the file.
package struct ConfigurationOverrides: Sendable, Equatable {
    /// The values of all `--listen` options; empty keeps the file's addresses.
    package var listen: [String] = []
    /// The value of `--log-level`, or nil if it was not given.
    package var logLevel: String?

    /// Creates overrides; none by default.
    package init(listen: [String] = [], logLevel: String? = nil) {
        self.listen = listen
        self.logLevel = logLevel
    }

    /// Applies the options; returns all mistakes, each with its flag.
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
