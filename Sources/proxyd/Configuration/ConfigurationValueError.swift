/// What is wrong with one value, without saying where it stands.
struct ConfigurationValueError: Error {
    /// One line for a person.
    let message: String

    /// An error.
    init(_ message: String) { self.message = message }
}
