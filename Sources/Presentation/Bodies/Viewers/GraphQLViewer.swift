internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Shows GraphQL requests: each operation with its formatted document and its variables as JSON.
struct GraphQLViewer: BodyViewer {
    static let name = "graphql"
    static let readsAnyCharset = false

    /// Longer bodies are left to the JSON viewers, in bytes.
    static let byteCountMax = 1 << 20

    private let contentType: String?
    private let source: any BodySource
    private var all: [StyledText] = []
    private var readByteCount = 0
    private var hasRead = false

    static func fitness(for facts: BodyFacts) -> Int {
        guard facts.passedByteCount <= byteCountMax else { return 0 }
        if facts.mediaType?.essence == "application/graphql" { return 95 }
        switch facts.kind {
        case .json: return GraphQLHint.isRequest(facts.beginning) ? 95 : 0
        // Of an upload, the parts are shown first: they include the files.
        case .multipartForm: return GraphQLHint.isRequest(facts.beginning) ? 85 : 0
        default: return 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        contentType = facts.contentType
        self.source = source
    }

    var lineCount: Int { all.count }
    var isComplete: Bool { hasRead }
    var indexedByteCount: Int { readByteCount }

    mutating func advance(byteBudget: Int) {
        let extent = source.extent
        guard !hasRead, extent.isComplete else { return }
        hasRead = true
        readByteCount = extent.byteCount
        guard extent.byteCount <= GraphQLViewer.byteCountMax else {
            return all = [StyledText("too long to format", .notice)]
        }
        let bytes = source.read(from: 0, byteCount: extent.byteCount)
        let content = BodyContent(decoded: bytes, contentType: contentType)
        let calls = GraphQLCall.all(in: content)
        all = calls.flatMap(GraphQLViewer.lines)
        if calls.isEmpty { all = [StyledText("no GraphQL request could be read", .notice)] }
    }

    func lines(_ range: Range<Int>) -> [StyledText] { Array(all[range.clamped(to: all.indices)]) }

    /// Lines are generated from the whole body and have no offsets in it.
    func offset(ofLine line: Int) -> Int? { nil }
    func line(atOffset offset: Int) -> Int? { nil }

    private static func lines(_ call: GraphQLCall) -> [StyledText] {
        [StyledText(call.operation.description, .accent)] + document(call) + variables(call)
    }

    private static func document(_ call: GraphQLCall) -> [StyledText] {
        guard let document = call.document else {
            return call.persistedHash.map { [StyledText("persisted as \($0)", .dim)] } ?? []
        }
        return GraphQLPrinter.text(of: document)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { GraphQLSyntax.line(String($0)).indented(by: StyledText.indentColumnCount) }
    }

    private static func variables(_ call: GraphQLCall) -> [StyledText] {
        guard let variables = call.variables,
            let text = try? JSONWriter(indentationByteCount: 2).write(variables)
        else { return [] }
        let bytes = Array(text)
        var viewer = JSONTextViewer(
            BodyFacts(contentType: "application/json", bytes: bytes), LoadedBody(bytes))
        while !viewer.isComplete { viewer.advance(byteBudget: bytes.count) }
        return [StyledText("variables", .accent)]
            + viewer.lines(0..<viewer.lineCount)
            .map { $0.indented(by: StyledText.indentColumnCount) }
    }
}

/// Guesses from the first bytes of a JSON body whether it is a GraphQL request, to choose a viewer
/// that then reads the whole body.
enum GraphQLHint {
    private static let starts = ["query", "mutation", "subscription", "fragment", "{", "#"]

    static func isRequest(_ beginning: [UInt8]) -> Bool {
        let text = String(decoding: beginning, as: UTF8.self)
        return text.contains("\"persistedQuery\"") || hasDocument(text)
    }

    /// Whether a member `query` is a string that starts like a document. In other requests, such as
    /// Elasticsearch searches, it is an object.
    private static func hasDocument(_ text: String) -> Bool {
        var rest = text[...]
        while let name = rest.firstRange(of: "\"query\"") {
            rest = rest[name.upperBound...]
            var value = rest.drop(while: \.isWhitespace)
            guard value.first == ":" else { continue }
            value = value.dropFirst().drop(while: \.isWhitespace)
            guard value.first == "\"" else { continue }
            value = withoutBlanks(value.dropFirst())
            if starts.contains(where: { value.hasPrefix($0) }) { return true }
        }
        return false
    }

    /// Removes leading white space, also escaped (`\n`, `\t`, `\r`).
    private static func withoutBlanks(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first {
            if first.isWhitespace {
                text = text.dropFirst()
            } else if ["\\n", "\\t", "\\r"].contains(where: { text.hasPrefix($0) }) {
                text = text.dropFirst(2)
            } else {
                break
            }
        }
        return text
    }
}

/// Syntax colours for a line of a GraphQL document.
enum GraphQLSyntax {
    private static let keywords: Set<Substring> = [
        "query", "mutation", "subscription", "fragment", "on", "true", "false", "null",
    ]

    static func line(_ text: String) -> StyledText {
        var line = StyledText()
        var rest = text[...]
        while let first = rest.first {
            let (piece, style) = next(rest, first)
            line.append(String(piece), style)
            rest = rest[piece.endIndex...]
        }
        return line
    }

    private static func next(_ rest: Substring, _ first: Character) -> (Substring, Style) {
        switch first {
        case "#": return (rest, .comment)
        case "\"": return (string(rest), .string)
        case "$", "@":
            let end = rest.dropFirst().firstIndex { !isName($0) } ?? rest.endIndex
            return (rest[..<end], .key)
        case _ where isName(first):
            let word = rest.prefix(while: isName)
            if keywords.contains(word) { return (word, .keyword) }
            return (word, first.isNumber ? .number : .plain)
        default: return (rest.prefix { !isName($0) && !"#\"$@".contains($0) }, .punctuation)
        }
    }

    /// The part of a string that is on this line.
    private static func string(_ rest: Substring) -> Substring {
        var isEscaped = false
        for index in rest.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if rest[index] == "\\" {
                isEscaped = true
            } else if rest[index] == "\"" {
                return rest[...index]
            }
        }
        return rest
    }

    private static func isName(_ character: Character) -> Bool {
        character == "_" || character.isLetter || character.isNumber
    }
}
