/// Why a regular expression, or what matches of it are replaced by, is not accepted.
package struct RegexError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is not accepted.
    package enum Subject: Sendable, Hashable {
        /// The regular expression.
        case pattern
        /// What its matches are replaced by.
        case template
    }

    /// What is wrong.
    package let subject: Subject
    /// Where in it, in scalars from 0.
    let offset: Int
    /// In words for a person.
    package let message: String

    init(_ subject: Subject = .pattern, offset: Int, message: String) {
        self.subject = subject
        self.offset = offset
        self.message = message
    }

    /// Where in it, in characters (Unicode scalars) from 1.
    package var column: Int { offset + 1 }

    /// One line: `column 3: this ( is never closed`.
    package var description: String { "column \(column): \(message)" }
}
