struct FilterTokenizer<Vocabulary: FilterVocabulary> {
    private var scanner: FilterScanner
    private var tokens: [FilterToken] = []

    static func tokens(of text: String) throws(FilterError) -> [FilterToken] {
        var tokenizer = FilterTokenizer(scanner: FilterScanner(text))
        while let token = try tokenizer.next() { tokenizer.tokens.append(token) }
        return tokenizer.tokens
    }

    private init(scanner: FilterScanner) { self.scanner = scanner }

    private mutating func next() throws(FilterError) -> FilterToken? {
        scanner.skipSpace()
        let column = scanner.column
        guard let scalar = scanner.peek else { return nil }
        let punctuation: FilterToken.Kind? =
            switch scalar {
            case "(": .open
            case ")": .close
            case "&": .and
            case "|": .or
            case "!": .not
            default: nil
            }
        if let punctuation {
            scanner.skip()
            return FilterToken(kind: punctuation, column: column)
        }
        let kind =
            if scanner.isAtQuote {
                FilterToken.Kind.word(try quotedWord())
            } else if scalar == "~",
                Vocabulary.hasOperators
            {
                try mitmproxy()
            } else { try wordOrTest() }
        return FilterToken(kind: kind, column: column)
    }

    private mutating func quotedWord() throws(FilterError) -> String {
        let text = try scanner.quoted()
        guard scanner.isAtBreak else {
            throw FilterError(column: scanner.column, "put a space after the closing quote")
        }
        return text
    }

    private mutating func mitmproxy() throws(FilterError) -> FilterToken.Kind {
        let column = scanner.column
        scanner.skip()
        let name = scanner.take { $0.properties.isAlphabetic }
        guard let found = MitmproxyOperator(rawValue: name) else {
            let near = NearNames.of(name, among: MitmproxyOperator.allCases.map(\.rawValue))
            let hint = near.isEmpty ? "" : ": ~\(near.joined(separator: " or ~"))?"
            throw FilterError(column: column, "unknown operator ~\(name)\(hint)")
        }
        guard found.takesArgument else { return .mitmproxy(found, nil) }
        scanner.skipSpace()
        guard scanner.peek != nil, scanner.isAtQuote || !scanner.isAtBreak else {
            throw FilterError(
                column: scanner.column, "~\(name) needs \(found.argument ?? "a value")")
        }
        return .mitmproxy(found, try value())
    }

    // MARK: Words and tests

    private mutating func wordOrTest() throws(FilterError) -> FilterToken.Kind {
        let start = scanner.position
        try refuseStrayOperator()
        if scanner.isAt("http://") || scanner.isAt("https://") { return .word(scanner.rest()) }
        let base = takeField()
        let field = FilterToken.Value(text: base, column: start + 1)
        let name = try fieldName(of: base)
        if !base.isEmpty, let found = scanner.takeOperator() {
            let value = try requiredValue(behind: found.operator)
            return .test(
                field: field, name: name, found.operator, value, isNegated: found.isNegated)
        }
        scanner.rewind(to: start)
        return keyword(scanner.take { !$0.properties.isWhitespace && $0 != "(" && $0 != ")" })
    }

    /// Consumes letters, and digits if they complete the name of a field.
    private mutating func takeField() -> String {
        let start = scanner.position
        let word = scanner.take {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
        }
        if Vocabulary.naming(of: word) != nil { return word }
        scanner.rewind(to: start)
        let joined = scanner.take { $0.isASCII && $0.properties.isAlphabetic || $0 == "_" }
        if Vocabulary.naming(of: joined) != nil { return joined }
        scanner.rewind(to: start)
        return scanner.take { $0.isASCII && $0.properties.isAlphabetic }
    }

    private func keyword(_ word: String) -> FilterToken.Kind {
        switch word.lowercased() {
        case "and": .and
        case "or": .or
        case "not": .not
        default: .word(word)
        }
    }

    /// Reads the part between a field and the operator: `.NAME`, which may be quoted.
    private mutating func fieldName(of base: String) throws(FilterError) -> FilterToken.Value? {
        guard !base.isEmpty else { return nil }
        let column = scanner.column + 1
        switch Vocabulary.naming(of: base) {
        case .any, .words:
            guard scanner.take(".") else { return nil }
            if scanner.isAtQuote {
                return FilterToken.Value(text: try scanner.quoted(), column: column)
            }
            var isAtOperator = false
            let text = takeName(until: &isAtOperator)
            return FilterToken.Value(text: text, column: column)
        case .some(.none), nil:
            // The rest of a word like `example.com:80`, for the error message below.
            let rest = scanner.take {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                    || [".", "-", "_"].contains($0)
            }
            return rest.isEmpty ? nil : FilterToken.Value(text: rest, column: column - 1)
        }
    }

    private mutating func takeName(until isAtOperator: inout Bool) -> String {
        let start = scanner.position
        while !scanner.isAtBreak, !scanner.isAtOperator { scanner.skip() }
        isAtOperator = scanner.isAtOperator
        return scanner.text(from: start, to: scanner.position)
    }

    private func refuseStrayOperator() throws(FilterError) {
        guard let scalar = scanner.peek, FilterOperator.initials.contains(scalar) else { return }
        // `status != 200` has produced a word and a `not` so far.
        let isNegated = if case .not? = tokens.last?.kind { true } else { false }
        let sign = isNegated ? "!\(scalar)" : "\(scalar)"
        guard case .word(let word)? = tokens.dropLast(isNegated ? 1 : 0).last?.kind,
            Vocabulary.naming(of: word) != nil
        else {
            throw FilterError(
                column: scanner.column,
                "a field must come right before \(sign): \(Vocabulary.exampleField)\(sign)…")
        }
        throw FilterError(
            column: scanner.column, "remove the space between field and operator: \(word)\(sign)…")
    }

    private mutating func requiredValue(
        behind found: FilterOperator
    ) throws(FilterError) -> FilterToken.Value {
        guard scanner.isAtQuote || !scanner.isAtBreak || scanner.peek == "(" else {
            throw FilterError(
                column: scanner.column,
                "\(found.rawValue) needs a value right after it (\"\" for the empty text)")
        }
        return try value()
    }

    private mutating func value() throws(FilterError) -> FilterToken.Value {
        let column = scanner.column
        guard scanner.isAtQuote else {
            return FilterToken.Value(text: scanner.rest(), column: column)
        }
        return FilterToken.Value(text: try quotedWord(), column: column + 1)
    }
}

/// One token of a filter, with the column (from 1) at which it starts.
struct FilterToken: Sendable {
    /// The text of a word or value, without its quotes.
    struct Value: Sendable {
        let text: String
        let column: Int
    }

    enum Kind: Sendable {
        case open
        case close
        case and
        case or
        case not
        /// A bare or quoted word.
        case word(String)
        /// `field:value`. A `!` before the operator sets `isNegated`.
        case test(field: Value, name: Value?, FilterOperator, Value, isNegated: Bool)
        /// mitmproxy's `~u value`; the value is nil if the operator takes none.
        case mitmproxy(MitmproxyOperator, Value?)
    }

    let kind: Kind
    let column: Int
}

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

    var isAtQuote: Bool { peek == "\"" || peek == "'" }

    /// Whether the current word or value ends here.
    var isAtBreak: Bool {
        guard let scalar = peek else { return true }
        return scalar.properties.isWhitespace || scalar == "(" || scalar == ")"
    }

    func text(from start: Int, to end: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<end])
        return String(text)
    }

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

    mutating func rewind(to position: Int) { self.position = position }
}
