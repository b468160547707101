/// Scans the Unicode scalars of a filter and recognises words, quoted texts and values.
struct FilterScanner {
    private let scalars: [Unicode.Scalar]
    private(set) var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// The column of the next scalar, from 1.
    var column: Int { position + 1 }
    var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func skip(_ count: Int = 1) { position = min(position + count, scalars.count) }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while let scalar = peek, scalar.properties.isWhitespace { position += 1 }
    }

    /// Whether the next scalar is a quotation mark.
    var isAtQuote: Bool { peek == "\"" || peek == "'" }

    /// Whether the current word or value ends here.
    var isAtBreak: Bool {
        guard let scalar = peek else { return true }
        return scalar.properties.isWhitespace || scalar == "(" || scalar == ")"
    }

    /// The text between two positions.
    func text(from start: Int, to end: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<end])
        return String(text)
    }

    /// Consumes scalars while a condition holds.
    mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let scalar = peek, condition(scalar) { position += 1 }
        return text(from: start, to: position)
    }

    /// Reads a quoted text. `\"`, `\'` and `\\` are escapes; any other `\` is literal.
    mutating func quoted() throws(FilterError) -> String {
        let start = column
        guard let quote = peek else { return "" }
        skip()
        var text = String.UnicodeScalarView()
        while let scalar = peek {
            skip()
            if scalar == quote {
                guard isAtBreak || isAtOperator else {
                    throw FilterError(column: column, "put a space after the closing \(quote)")
                }
                return String(text)
            }
            if scalar == "\\", let escaped = peek, escaped == quote || escaped == "\\" {
                skip()
                text.append(escaped)
            } else {
                text.append(scalar)
            }
        }
        throw FilterError(column: start, "this \(quote) is never closed")
    }

    /// Reads the rest of a word or value, up to white space or an unbalanced `)`.
    mutating func rest() -> String {
        var depth = 0
        return take { scalar in
            if scalar == "(" { depth += 1 }
            if scalar == ")" { depth -= 1 }
            return depth >= 0 && !scalar.properties.isWhitespace
        }
    }

    /// Whether an operator follows, optionally after a `!`.
    var isAtOperator: Bool {
        guard let scalar = peek else { return false }
        if FilterOperator.initials.contains(scalar) { return true }
        guard scalar == "!", position + 1 < scalars.count else { return false }
        return FilterOperator.initials.contains(scalars[position + 1])
    }

    /// Consumes an operator and the `!` before it, if any.
    mutating func takeOperator() -> (operator: FilterOperator, isNegated: Bool)? {
        let start = position
        let isNegated = take("!")
        for length in [2, 1] where position + length <= scalars.count {
            let text = text(from: position, to: position + length)
            if let found = FilterOperator(rawValue: text) {
                skip(length)
                return (found, isNegated)
            }
        }
        position = start
        return nil
    }

    /// Whether the remaining text starts with `word`, ignoring case.
    func isAt(_ word: String) -> Bool {
        let end = min(position + word.unicodeScalars.count, scalars.count)
        return text(from: position, to: end).lowercased() == word
    }

    /// Moves back to an earlier position.
    mutating func rewind(to position: Int) { self.position = position }
}
