/// Builds the syntax tree: `not` binds strongest, then juxtaposition and `and`, then `or`.
struct FilterParser {
    private let tokens: [FilterToken]
    private let builder: FilterTestBuilder
    private let endColumn: Int
    private var position = 0
    private var depth = 0
    private var looks: [FilterLook] = []

    static func parse(
        _ text: String, builder: FilterTestBuilder
    ) throws(FilterError) -> (expression: FilterExpression, looks: [FilterLook]) {
        let tokens = try FilterTokenizer.tokens(of: text)
        if tokens.isEmpty { return (.everything, []) }
        guard tokens.count <= FilterGrammar.tokenCountMax else {
            let column = tokens[FilterGrammar.tokenCountMax].column
            throw FilterError(
                column: column, "more than \(FilterGrammar.tokenCountMax) words: too long a filter")
        }
        var parser = FilterParser(
            tokens: tokens, builder: builder, endColumn: text.unicodeScalars.count + 1)
        let expression = try parser.parseAny()
        if let token = parser.peek {
            throw FilterError(column: token.column, "this ) closes nothing")
        }
        return (expression, parser.looks)
    }

    private init(tokens: [FilterToken], builder: FilterTestBuilder, endColumn: Int) {
        self.tokens = tokens
        self.builder = builder
        self.endColumn = endColumn
    }

    private var peek: FilterToken? { position < tokens.count ? tokens[position] : nil }

    private mutating func parseAny() throws(FilterError) -> FilterExpression {
        var parts = [try parseAll()]
        while case .or? = peek?.kind {
            position += 1
            parts.append(try parseAll())
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func parseAll() throws(FilterError) -> FilterExpression {
        var parts = [try parseOne()]
        while let token = peek {
            switch token.kind {
            case .or, .close: return parts.count == 1 ? parts[0] : .all(parts)
            case .and: position += 1
            default: break
            }
            parts.append(try parseOne())
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func parseOne() throws(FilterError) -> FilterExpression {
        guard let token = peek else {
            throw FilterError(column: endColumn, "something to look for is missing here")
        }
        position += 1
        depth += 1
        defer { depth -= 1 }
        guard depth <= FilterGrammar.depthMax else {
            throw FilterError(column: token.column, "( ) and not nest too deeply")
        }
        switch token.kind {
        case .not: return .not(try parseOne())
        case .open: return try parseGroup(from: token)
        case .word(let text):
            return looked(.test(.text(.columns([.url]), .contains(ByteSearch(text)))), "url", token)
        case .test(let field, let name, let comparison, let value, let isNegated):
            let test = try builder.test(field: field, name: name, comparison, value)
            return looked(isNegated ? .not(test) : test, field.text.lowercased(), token)
        case .mitmproxy(let found, let value):
            return looked(try mitmproxy(found, value, token), "~\(found.rawValue)", token)
        case .close:
            throw FilterError(column: token.column, "something to look for is missing before )")
        case .and, .or:
            throw FilterError(
                column: token.column, "something to look for is missing before this; quote it")
        }
    }

    /// Notes what is looked at.
    private mutating func looked(
        _ expression: FilterExpression, _ name: String, _ token: FilterToken
    ) -> FilterExpression {
        looks.append(FilterLook(name: name, column: token.column, moment: expression.moment))
        return expression
    }

    private mutating func parseGroup(
        from open: FilterToken
    ) throws(FilterError) -> FilterExpression {
        let expression = try parseAny()
        guard case .close? = peek?.kind else {
            throw FilterError(column: open.column, "this ( is never closed")
        }
        position += 1
        return expression
    }

    private func mitmproxy(
        _ found: MitmproxyOperator, _ value: FilterToken.Value?, _ token: FilterToken
    ) throws(FilterError) -> FilterExpression {
        if let expression = found.plainExpression { return expression }
        guard let value else {
            throw FilterError(column: token.column, "~\(found.rawValue) needs a value")
        }
        if let target = found.target {
            let regex = try FilterTestBuilder.regex(value, target, ignoresCase: true)
            return .test(.text(target, .regex(regex)))
        }
        guard let status = Int64(value.text) else {
            throw FilterError(column: value.column, "~\(found.rawValue) needs a status code")
        }
        return .test(.number(.status, FilterNumberRange(lower: status, upper: status)))
    }
}
