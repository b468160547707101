internal import ProxydTerminalText

/// A mistake in a configuration, with its location.
public struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// `FILE:LINE`, `FILE`, or the command-line flag.
    public let location: String
    /// One readable line.
    public let message: String

    /// Creates a problem.
    public init(location: String, message: String) {
        self.location = location
        self.message = message
    }

    /// `LOCATION: what is wrong` as a single line, whatever the file contains.
    public var description: String { TerminalText.sanitize("\(location): \(message)") }
}
