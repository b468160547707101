internal import ProxydRules
internal import ProxydOperations
internal import ProxydPresentation

/// A held message as editable lines: its head, an empty line, and its content if that is text.
struct HeldLinesScreen: LineListScreen, ProblemShowing {
    typealias Answer = Never

    enum News: Sendable {
        /// The text typed for a line, or for an additional line.
        case line(String)
        case added(String)
        /// The hold was decided; the text of the notice.
        case decided(String)
    }

    /// What is shown above, errors below.
    static let barCounts = (above: 1, below: 1)

    private enum Purpose: Sendable {
        case resume
        /// The client receives it as the answer.
        case answer
    }

    private enum Part: Sendable { case head, body }

    let title: String
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .held]
    private let hold: any OpenedHold
    private let purpose: Purpose
    private var head: [String]
    private var body: ComposeText
    private var content: [UInt8]
    private let former: (head: [String], content: [UInt8])
    var cursor = ListCursor()
    private var edited = Part.head
    var problem: String?

    init(_ hold: any OpenedHold, _ facts: HoldSummary) {
        self.init(
            hold, .resume, "\(facts.isRequest ? "Request" : "Response") held by \(facts.rule)",
            hold.head, hold.text ?? [])
    }

    init(answering hold: any OpenedHold, _ facts: HoldSummary) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        self.init(hold, .answer, "Answer to \(facts.method) \(facts.url)", Array(head.utf8), [])
    }

    private init(
        _ hold: any OpenedHold, _ purpose: Purpose, _ title: String, _ head: [UInt8],
        _ content: [UInt8]
    ) {
        self.hold = hold
        self.purpose = purpose
        self.title = title
        self.content = content
        self.head = HeldLinesScreen.headLines(head)
        body = ComposeText(content)
        former = (self.head, content)
        cursor.count = lines.count
    }

    private static func headLines(_ head: [UInt8]) -> [String] {
        var lines = (ComposeText(head).lines ?? []).map { $0 }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// All lines; an empty one separates head and content.
    private var lines: [String] { head + [""] + (body.lines ?? []) }
    /// The line of the content that the cursor is on, or nil in the head.
    private var bodyIndex: Int? {
        cursor.selected > head.count ? cursor.selected - head.count - 1 : nil
    }
    private var isHeadChanged: Bool { head != former.head }
    private var isBodyChanged: Bool { content != former.content }

    // MARK: Keys

    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .editHeldLine: return editLine()
        case .addHeldLine: return [.ask(PromptScreen("New line", "")) { .added($0) }]
        case .removeHeldLine: removeLine()
        case .editHeldHead: return edit(.head)
        case .editHeldBody: return edit(.body)
        case .sendHeld: return send()
        default: break
        }
        return []
    }

    private func editLine() -> [Effect] {
        let index = cursor.selected
        guard lines.indices.contains(index), index != head.count else { return [] }
        return [.ask(PromptScreen("Line", lines[index])) { .line($0) }]
    }

    private mutating func replace(_ text: String) {
        if let index = bodyIndex {
            setContent(body.replacing(index, by: text))
        } else if head.indices.contains(cursor.selected) {
            head[cursor.selected] = text
        }
    }

    private mutating func add(_ text: String) {
        if let index = bodyIndex {
            setContent(body.inserting(text, at: index + 1))
        } else if cursor.selected == head.count {
            setContent(body.inserting(text, at: 0))
        } else {
            head.insert(text, at: min(cursor.selected + 1, head.count))
        }
        cursor.count = lines.count
        cursor.move(by: 1)
    }

    /// The first line of a head cannot be removed.
    private mutating func removeLine() {
        if let index = bodyIndex {
            setContent(body.removing(index))
        } else if cursor.selected > 0, head.indices.contains(cursor.selected) {
            head.remove(at: cursor.selected)
        }
        cursor.count = lines.count
    }

    private mutating func setContent(_ bytes: [UInt8]) {
        content = bytes
        body = ComposeText(bytes)
    }

    private mutating func edit(_ part: Part) -> [Effect] {
        edited = part
        let request =
            part == .head
            ? EditRequest(fileExtension: "http", bytes: Array(head.joined(separator: "\n").utf8))
            : EditRequest(fileExtension: "txt", bytes: content)
        return [.edit(request)]
    }

    private func send() -> [Effect] {
        let text = Array(head.joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8)
        let (hold, content) = (hold, content)
        if case .answer = purpose {
            return decide("the client is answered") {
                let bytes = try HeldContent.bytes(ofText: content, head: text)
                try hold.answer(head: text, content: bytes)
            }
        }
        let newHead = isHeadChanged ? text : nil
        let newText = isBodyChanged ? content : nil
        return decide("the message goes on") {
            let bytes = try newText.map { try hold.bytes(ofText: $0, head: newHead) }
            try hold.resume(head: newHead, content: bytes)
        }
    }

    private func decide(
        _ words: String, _ body: @escaping @Sendable () throws -> Void
    ) -> [Effect] {
        [.work(HoldWork.decide(words, body).map { .decided($0) })]
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .line(let text): replace(text)
        case .added(let text): add(text)
        case .decided(let words): return [.close, .notify(.success(words))]
        }
        cursor.count = lines.count
        return []
    }

    mutating func take(_ edited: EditedText, _ context: Context) -> [Effect] {
        guard let bytes = edited.bytes else { return [] }
        if self.edited == .head {
            head = HeldLinesScreen.headLines(bytes)
        } else {
            setContent(bytes)
        }
        cursor.count = lines.count
        return []
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        var line = StyledText(" \(title)", Style(.heading).adding(.bold))
        if isHeadChanged || isBodyChanged { line.append("  changed", Style(.notice)) }
        canvas.part(rows: 1).drawBar(line)
        let rows = canvas.part(row: 1, rows: max(0, canvas.rows - 2))
        let lines = lines
        rows.drawLines(of: cursor) { index, row in
            rows.draw(
                lines[index], column: 2, row: row, width: rows.columns - 3,
                index == 0 ? .plain.adding(.bold) : .plain)
            if index == cursor.selected {
                rows.draw("▸", column: 1, row: row, Style(.accent).adding(.bold))
            }
        }
        canvas.part(row: canvas.rows - 1, rows: 1)
            .drawBar(StyledText(" \(information)", Style(problem == nil ? .dim : .bad)))
    }

    private var information: String {
        if let problem { return problem }
        if hold.content == nil, case .resume = purpose {
            return "its body is not held because it is too large or may never end"
        }
        return body.lines == nil && !content.isEmpty ? "the body is not text: b opens it" : ""
    }
}
