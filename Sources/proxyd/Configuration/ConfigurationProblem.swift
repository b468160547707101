internal import TerminalText

/// One thing that is wrong with a configuration: where, and what.
struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// `FILE:LINE`, `FILE`, or the command-line flag.
    let location: String
    /// One line for a person.
    let message: String

    /// `LOCATION: what is wrong`, in one line whatever the file holds.
    var description: String { TerminalText.sanitize("\(location): \(message)") }
}

/// Everything that is wrong with a configuration; never empty.
struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// In the order of their lines.
    let problems: [ConfigurationProblem]

    /// One problem a line.
    var description: String { problems.map(\.description).joined(separator: "\n") }
}
