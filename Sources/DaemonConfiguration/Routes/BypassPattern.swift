package import ProxydConfigurationText

/// Servers that are reached without an upstream proxy, as `NO_PROXY` writes them: a name means also
/// every name below it, with or without a leading dot. All patterns of hosts are accepted too.
package struct BypassPattern: Sendable, Hashable, ConfigurationStringValue {
    private let patterns: [HostPattern]
    /// The pattern as it was written.
    package let text: String

    /// Parses a pattern; the error says what is wrong with it.
    package init(_ text: String) throws(ConfigurationValueError) {
        self.text = text
        let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
        let itself = try HostPattern(name)
        // An address, a network, `*` and `*.NAME` have nothing below them.
        guard let below = try? HostPattern("*." + name) else {
            patterns = [itself]
            return
        }
        patterns = [itself, below]
    }

    /// Whether the pattern matches this host and port.
    package func matches(host: String, port: UInt16) -> Bool {
        patterns.contains { $0.matches(host: host, port: port) }
    }

    /// The description of a valid value.
    package static var expectation: String { "a host pattern" }
    /// Parses a pattern.
    package static func read(_ text: String) throws(ConfigurationValueError) -> BypassPattern? {
        try BypassPattern(text)
    }
}
