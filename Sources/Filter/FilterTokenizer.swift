/// Splits a filter into tokens.
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

    // MARK: mitmproxy

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
