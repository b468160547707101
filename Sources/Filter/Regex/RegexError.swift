/// Why a regular expression or a replacement template is rejected.
package struct RegexError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text that contains the error.
    package enum Subject: Sendable, Hashable {
        /// The regular expression.
        case pattern
        /// The template for replacements.
        case template
    }

    /// Whether the pattern or the template is wrong.
    package let subject: Subject
    /// The position of the error, in Unicode scalars from 0.
    let offset: Int
    /// A message for the user.
    package let message: String

    init(_ subject: Subject = .pattern, offset: Int, message: String) {
        self.subject = subject
        self.offset = offset
        self.message = message
    }

    /// The position of the error, in characters (Unicode scalars) from 1.
    package var column: Int { offset + 1 }

    /// One line: `column 3: this ( is never closed`.
    package var description: String { "column \(column): \(message)" }
}
