/// Why a text is no TOML.
public struct TOMLSyntaxError: Error, Sendable, Equatable {
    /// One line for a person.
    public let message: String
    /// The line, from 1.
    public let line: Int

    init(_ message: String, at line: Int) {
        self.message = message
        self.line = line
    }
}
