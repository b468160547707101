/// Why a text is not valid TOML.
public struct TOMLSyntaxError: Error, Sendable, Equatable {
    /// One readable line.
    public let message: String
    /// The line number, counted from 1.
    public let line: Int

    init(_ message: String, at line: Int) {
        self.message = message
        self.line = line
    }
}
