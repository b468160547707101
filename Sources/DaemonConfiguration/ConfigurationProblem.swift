internal import ProxydTerminalText

/// One thing that is wrong with a configuration: where, and what.
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// `FILE:LINE`, `FILE`, or the command-line flag.
    package let location: String
    /// One line for a person.
    package let message: String

    /// `LOCATION: what is wrong`, in one line whatever the file holds.
    package var description: String { TerminalText.sanitize("\(location): \(message)") }
}

/// Everything that is wrong with a configuration; never empty.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// In the order of their lines.
    package let problems: [ConfigurationProblem]

    /// One problem a line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
