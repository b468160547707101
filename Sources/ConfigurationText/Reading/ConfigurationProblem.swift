internal import ProxydTerminalText

/// One thing that is wrong with a configuration: where, and what.
public struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// `FILE:LINE`, `FILE`, or the command-line flag.
    public let location: String
    /// One line for a person.
    public let message: String

    /// A problem.
    public init(location: String, message: String) {
        self.location = location
        self.message = message
    }

    /// `LOCATION: what is wrong`, in one line whatever the file holds.
    public var description: String { TerminalText.sanitize("\(location): \(message)") }
}
