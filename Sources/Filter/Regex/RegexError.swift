/// Why a regular expression is not accepted.
struct RegexError: Error, Sendable, Hashable {
    /// Where in the pattern, in scalars from 0.
    let offset: Int
    /// In words for a person.
    let message: String
}
