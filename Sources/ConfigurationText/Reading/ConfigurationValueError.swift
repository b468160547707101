/// A mistake in a single value.
public struct ConfigurationValueError: Error, Sendable {
    /// One readable line.
    public let message: String
    /// The position of the mistake, if it is not the start of the value.
    public let position: TextPosition?

    /// Creates an error.
    public init(_ message: String, at position: TextPosition? = nil) {
        self.message = message
        self.position = position
    }
}
