internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydWebServer

/// `GET /exchanges/{id}/view/{part}`: a body as lines of a viewer.
struct BodyView {
    private static let lineCountMax = 5_000
    /// The most bytes that are examined for a page of lines.
    private static let byteBudget = 8 << 20

    private let facts: BodyFacts
    private let content: BodyContent
    private let viewer: any BodyViewer.Type
    private let start: Int
    private let count: Int
    /// The text that lines must contain, in lower case; nil for all lines.
    private let sought: String?

    init(
        _ request: WebRequest, _ subject: ExchangeSubject, _ part: StoredMessage
    ) throws(WebProblem) {
        let content = subject.content(part)
        let facts = BodyFacts(contentType: content.contentType, bytes: content.bytes)
        if let name = request.parameter("viewer") {
            guard let named = BodyViewers.named(name) else {
                throw WebProblem(400, "there is no viewer \(name)")
            }
            viewer = named
        } else {
            viewer = BodyViewers.suited(to: facts).first ?? BodyViewers.hex
        }
        self.facts = facts
        self.content = content
        start = try request.number("from", in: 0...Int.max) ?? 0
        count = try request.number("count", in: 1...BodyView.lineCountMax) ?? 1_000
        sought = request.parameter("search").flatMap { $0.isEmpty ? nil : $0.lowercased() }
    }

    func json() throws(WebProblem) -> JSONValue {
        var view = ViewedBody(viewer, facts, LoadedBody(content.bytes)).viewer
        let (end, isOver) = start.addingReportingOverflow(sought == nil ? count : .max / 2)
        guard !isOver else { throw WebProblem(400, "from is too large") }
        while !view.isComplete, view.lineCount < end {
            let before = view.indexedByteCount
            view.advance(byteBudget: BodyView.byteBudget)
            if view.indexedByteCount == before { break }
        }
        let (lines, reached) = lines(of: view, until: min(end, view.lineCount))
        let hasMore = reached < view.lineCount || !view.isComplete
        return .members([
            ("viewer", .string(viewer.name)),
            ("viewers", .strings(BodyViewers.suited(to: facts).map { $0.name })),
            ("remark", .text(view.remark)), ("line_count", .integer(view.lineCount)),
            ("complete", .bool(view.isComplete)), ("lines", .array(lines)),
            ("next", .integer(hasMore && reached > start ? reached : nil)),
            ("decoded", .bool(content.isDecoded)),
            ("problem", .text(content.problem)),
            ("untrusted", .bool(true)),
        ])
    }

    /// The wanted lines, and the number of the line after the last one that was looked at.
    private func lines(of view: any BodyViewer, until end: Int) -> ([JSONValue], reached: Int) {
        var found: [JSONValue] = []
        var number = min(start, end)
        while number < end, found.count < count {
            for text in view.lines(number..<number + 1) {
                guard sought.map(text.text.lowercased().contains) ?? true else { continue }
                found.append(line(text, number))
            }
            number += 1
        }
        return (found, number)
    }

    private func line(_ line: StyledText, _ number: Int) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("number", .integer(number)), ("spans", SpansJSON.value(line)),
        ]
        if line.fold != .none { members.append(("fold", .string("\(line.fold)"))) }
        return .members(members)
    }
}
