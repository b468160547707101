/// Builds the syntax tree: `not` binds strongest, then juxtaposition and `and`, then `or`.
struct FilterParser<Vocabulary: FilterVocabulary> {
    typealias Tree = FilterTree<Vocabulary.Test>
    /// One word or test: its field or operator, its column and its meaning.
    typealias Term = (name: String, column: Int, meaning: Tree)

    private let tokens: [FilterToken]
    private let vocabulary: Vocabulary
    private let endColumn: Int
    private var position = 0
    private var depth = 0
    private var terms: [Term] = []

    /// Parses a text within the limits of `FilterGrammar`.
    static func parse(
        _ text: String, _ vocabulary: Vocabulary
    ) throws(FilterError) -> (tree: Tree, terms: [Term]) {
        try refuseUnusable(text)
        let tokens = try FilterTokenizer<Vocabulary>.tokens(of: text)
        if tokens.isEmpty { return (.everything, []) }
        guard tokens.count <= FilterGrammar.tokenCountMax else {
            let column = tokens[FilterGrammar.tokenCountMax].column
            throw FilterError(
                column: column, "the filter has more than \(FilterGrammar.tokenCountMax) parts")
        }
        var parser = FilterParser(
            tokens: tokens, vocabulary: vocabulary, endColumn: text.unicodeScalars.count + 1)
        let tree = try parser.parseAny()
        if let token = parser.peek { throw FilterError(column: token.column, "this ) has no (") }
        return (tree, parser.terms)
    }

    private static func refuseUnusable(_ text: String) throws(FilterError) {
        guard text.utf8.count <= FilterGrammar.filterByteCountMax else {
            throw FilterError(
                column: 1, "the filter is longer than \(FilterGrammar.filterByteCountMax) bytes")
        }
        if let index = text.unicodeScalars.firstIndex(of: "\0") {
            let column = text.unicodeScalars.distance(from: text.startIndex, to: index) + 1
            throw FilterError(column: column, "cannot search for a NUL character")
        }
    }

    private init(tokens: [FilterToken], vocabulary: Vocabulary, endColumn: Int) {
        self.tokens = tokens
        self.vocabulary = vocabulary
        self.endColumn = endColumn
    }

    private var peek: FilterToken? { position < tokens.count ? tokens[position] : nil }

    private mutating func parseAny() throws(FilterError) -> Tree {
        var parts = [try parseAll()]
        while case .or? = peek?.kind {
            position += 1
            parts.append(try parseAll())
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func parseAll() throws(FilterError) -> Tree {
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

    private mutating func parseOne() throws(FilterError) -> Tree {
        guard let token = peek else {
            throw FilterError(column: endColumn, "a search term is missing here")
        }
        position += 1
        depth += 1
        defer { depth -= 1 }
        guard depth <= FilterGrammar.depthMax else {
            throw FilterError(column: token.column, "( ) and not are nested too deeply")
        }
        switch token.kind {
        case .not: return .not(try parseOne())
        case .open: return try parseGroup(from: token)
        case .word(let text): return looked(vocabulary.word(text), "", token)
        case .test(let field, let name, let comparison, let value, let isNegated):
            let test = try vocabulary.test(field: field, name: name, comparison, value)
            return looked(isNegated ? .not(test) : test, field.text.lowercased(), token)
        case .mitmproxy(let found, let value):
            return looked(
                try vocabulary.test(found, value, column: token.column), "~\(found.rawValue)", token
            )
        case .close: throw FilterError(column: token.column, "a search term is missing before )")
        case .and, .or:
            throw FilterError(
                column: token.column,
                "a search term is missing before this; quote it to search for it")
        }
    }

    private mutating func looked(_ tree: Tree, _ name: String, _ token: FilterToken) -> Tree {
        terms.append((name, token.column, tree))
        return tree
    }

    private mutating func parseGroup(from open: FilterToken) throws(FilterError) -> Tree {
        let tree = try parseAny()
        guard case .close? = peek?.kind else {
            throw FilterError(column: open.column, "this ( is never closed")
        }
        position += 1
        return tree
    }
}

/// Limits of the filter language, which `FilterManual` describes.
public enum FilterGrammar {
    /// The maximum length of a filter in bytes of UTF-8: far above what a person types and far
    /// below the limit of the database.
    public static let filterByteCountMax = 8_192
    /// The maximum number of words, tests, operators and parentheses in one filter.
    public static let tokenCountMax = 500
    /// The maximum nesting depth of parentheses and `not`; bounds the recursion.
    public static let depthMax = 50
}

public struct FilterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position in the filter, in characters (Unicode scalars) from 1.
    public let column: Int
    /// A message for the user, with a suggestion if there is one.
    public let message: String

    init(column: Int, _ message: String) {
        self.column = column
        self.message = message
    }

    /// The error for an unknown field: suggests fields with similar names, or else how to search
    /// for the whole test as text.
    static func unknownField(
        _ written: String, of subject: String = "", at column: Int, near: [String],
        searched: String, test: String
    ) -> FilterError {
        let hint =
            near.isEmpty
            ? "quote it to search the \(searched): \"\(test)\""
            : "did you mean \(near.joined(separator: " or "))?"
        return FilterError(column: column, "unknown field \"\(written)\"\(subject): \(hint)")
    }

    /// One line: `column 5: unknown field "hots": did you mean host?`.
    public var description: String { "column \(column): \(message)" }
}
