/// What is wrong with one value.
public struct ConfigurationValueError: Error, Sendable {
    /// One line for a person.
    public let message: String
    /// Where it is wrong, where that is not the value's beginning.
    public let position: TextPosition?

    /// An error.
    public init(_ message: String, at position: TextPosition? = nil) {
        self.message = message
        self.position = position
    }
}
