/// What is wrong with one value, without saying where it stands.
package struct ConfigurationValueError: Error {
    /// One line for a person.
    package let message: String

    /// An error.
    package init(_ message: String) { self.message = message }
}
