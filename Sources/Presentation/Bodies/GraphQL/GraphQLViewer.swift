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
