/// Removes credentials from text of unknown syntax: error messages, notes, output for agents.
public struct TextRedactor: Sendable {
    private let scanner: SecretScanner

    /// Creates a redactor that hides the values of these names.
    public init(_ names: SecretNames = SecretNames()) { scanner = SecretScanner(names) }

    /// The text without credentials.
    public func redacted(_ text: String) -> String {
        scanner.redacted(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}
