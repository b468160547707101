internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydPresentation

/// Compares two exchanges, with differences in colour: heads and decoded bodies.
struct DiffScreen: ProblemShowing {
    typealias Answer = Never
    typealias News = DiffWork.Result

    let title = "Differences"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .diff]
    /// The number of rows that are not content: the two sides, tabs, information.
    private static let barCount = 4

    private var left: ExchangeID
    private var right: ExchangeID
    private var result: DiffWork.Result?
    private(set) var section = 0
    private var showsEqual = false
    private(set) var lines: [DiffSection.Line] = []
    private(set) var pager = LinePager()
    var problem: String?

    init(_ left: ExchangeID, _ right: ExchangeID) {
        self.left = left
        self.right = right
    }

    mutating func appear(_ context: Context) -> [Effect] {
        show(context)
        return result == nil && problem == nil ? [.work(DiffWork.compare(left, right))] : []
    }

    // MARK: Moving

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        let rows = content(context).rows
        if let movement = Movement(action, page: rows - 1, half: rows / 2) {
            move(movement, context)
            return []
        }
        switch action {
        case .nextPart: select(section + 1, context)
        case .previousPart: select(section - 1, context)
        case .nextChange: return change(1, context)
        case .previousChange: return change(-1, context)
        case .showEqual:
            showsEqual.toggle()
            list(context)
        case .swapSides:
            (left, right) = (right, left)
            return [.work(DiffWork.compare(left, right))]
        case .reload: return [.work(DiffWork.compare(left, right))]
        case .cancel: return [.cancelWork(slot: "diff")]
        default: break
        }
        return []
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(let mouse) = event else { return nil }
        if let step = Movement.wheel(mouse) { move(.rows(step), context) }
        if mouse.kind == .press, mouse.position.row == 2,
            let index = tabs.tab(at: mouse.position.column)
        {
            select(index, context)
        }
        return []
    }

    private func content(_ context: Context) -> Size {
        Size(
            columns: max(1, context.size.columns - 2),
            rows: max(1, context.size.rows - DiffScreen.barCount))
    }

    private mutating func move(_ movement: Movement, _ context: Context) {
        let (size, height) = (content(context), height(context))
        pager.move(movement, count: lines.count, rows: size.rows, height: height)
        show(context)
    }

    private mutating func show(_ context: Context) {
        let (size, height) = (content(context), height(context))
        pager.show(rows: size.rows, count: lines.count, height: height)
    }

    private func height(_ context: Context) -> (Int) -> Int {
        let (columns, lines) = (content(context).columns, lines)
        return { lines.indices.contains($0) ? lines[$0].text.rows(width: columns).count : 1 }
    }

    private mutating func select(_ index: Int, _ context: Context) {
        let count = result?.sections.count ?? 0
        guard count > 0 else { return }
        section = (index + count) % count
        pager = LinePager()
        list(context)
    }

    /// Moves to the first line of the next difference, in later sections too.
    private mutating func change(_ step: Int, _ context: Context) -> [Effect] {
        let starts = lines.indices.filter { index in
            lines[index].isChange && (index == 0 || !lines[index - 1].isChange)
        }
        let next = step > 0 ? starts.first { $0 > pager.cursor } : starts.last { $0 < pager.cursor }
        guard let next else {
            let which = step > 0 ? "last" : "first"
            return [.notify(.information("this is the \(which) difference of this part"))]
        }
        // Together with the lines after it, if they fit.
        pager.go(to: next + content(context).rows / 2, count: lines.count)
        show(context)
        pager.go(to: next, count: lines.count)
        show(context)
        return []
    }

    private mutating func list(_ context: Context) {
        guard let sections = result?.sections, sections.indices.contains(section) else { return }
        lines = showsEqual ? sections[section].lines : sections[section].shortened
        show(context)
    }

    // MARK: News

    mutating func receive(_ result: DiffWork.Result, _ context: Context) -> [Effect] {
        self.result = result
        problem = nil
        section = min(section, result.sections.count - 1)
        // The first section that differs is shown first.
        if lines.isEmpty, let first = result.sections.firstIndex(where: { !$0.isEqual }) {
            section = first
        }
        list(context)
        return []
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        drawSide("-", left, result?.sides.first, .removed, canvas.part(rows: 1))
        drawSide("+", right, result?.sides.last, .added, canvas.part(row: 1, rows: 1))
        tabs.draw(into: canvas.part(row: 2, rows: 1), selected: section)
        let content = canvas.part(row: 3, rows: max(0, canvas.rows - DiffScreen.barCount))
        if let problem {
            content.drawRemark(problem, .bad)
        } else if result == nil {
            content.drawRemark("comparing…")
        } else {
            drawLines(content)
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private func drawSide(
        _ sign: String, _ id: ExchangeID, _ row: ExchangeRow?, _ role: Style.Role, _ canvas: Canvas
    ) {
        var line = StyledText("\(sign) #\(row?.idText ?? "\(id)")  ", Style(.dim))
        if let row {
            line.append("\(row.method ?? "-") ", Style(.plain).adding(.bold))
            if let status = row.status { line.append("\(status) ", .ofStatus(status)) }
            line.append(context(row), Style(.dim))
            line.append(row.url ?? "unreadable URL", Style(.accent))
        }
        canvas.draw(line, row: 0)
        canvas.tint(row: 0, role)
    }

    private func context(_ row: ExchangeRow) -> String {
        row.durationNs.map { Quantity.duration($0) + " " } ?? ""
    }

    private var tabs: TabBar<Int> {
        let sections = result?.sections ?? []
        return TabBar(
            sections.enumerated().map { index, section in
                let counts =
                    section.isEqual ? "equal" : "-\(section.removedCount) +\(section.addedCount)"
                return (index, " \(section.title) \(counts) ")
            })
    }

    private func drawLines(_ canvas: Canvas) {
        if lines.isEmpty { canvas.draw("nothing on either side", column: 2, row: 0, Style(.dim)) }
        var row = -pager.topRow
        for index in pager.top..<max(pager.top, lines.count) {
            let line = lines[index]
            for text in line.text.rows(width: max(1, canvas.columns - 2)) {
                canvas.draw(line.sign, row: row, Style(.dim))
                canvas.part(column: 2).draw(text, row: row)
                if let background = line.background { canvas.tint(row: row, background) }
                if index == pager.cursor, line.background == nil {
                    canvas.tint(row: row, .selection)
                }
                row += 1
            }
            if row >= canvas.rows { break }
        }
    }

    private func drawInformation(_ canvas: Canvas) {
        var line = StyledText(" ")
        if let sections = result?.sections {
            let isEqual = sections.allSatisfy(\.isEqual)
            line.append(isEqual ? "equal" : "different", Style(isEqual ? .good : .notice))
            line.append(showsEqual ? "  all lines" : "  equal lines hidden: a", Style(.dim))
        }
        let position = Quantity.grouped(Int64(min(pager.cursor + 1, lines.count)))
        let count = Quantity.grouped(Int64(lines.count))
        canvas.drawBar(line, right: StyledText("\(position)/\(count) ", Style(.dim)))
    }
}

extension DiffSection.Line { var isChange: Bool { kind == .removed || kind == .added } }

enum DiffWork {
    struct Result: Sendable {
        let sides: [ExchangeRow]
        let sections: [DiffSection]
    }

    static func compare(_ left: ExchangeID, _ right: ExchangeID) -> Work<Result> {
        Work("diff", on: .details) { context in
            let subjects = try [left, right].map { id in
                guard let subject = try DetailSubject.read(id, again: nil, context) else {
                    let name = try context.rows.name(of: id)
                    throw WorkFailure("exchange \(name) is no longer in the store")
                }
                return subject
            }
            return Result(
                sides: subjects.map(\.row),
                sections: try [
                    section("Request", .request, subjects, context),
                    section("Response", .response, subjects, context),
                    DiffSection("Overview", try compare(subjects, context) { overview($0) }),
                ])
        }
    }

    private static func section(
        _ title: String, _ message: StoredMessage, _ subjects: [DetailSubject],
        _ context: WorkContext
    ) throws -> DiffSection {
        var lines = try compare(subjects, context) { head($0, message) }
        let bodies = try subjects.map { try body($0, message, context) }
        lines += try DiffSection.compare(bodies, called: ["left", "right"], context.isCancelled)
        return DiffSection(title, lines)
    }

    private static func compare(
        _ subjects: [DetailSubject], _ context: WorkContext,
        _ lines: (DetailSubject) -> [StyledText]
    ) throws -> [DiffSection.Line] {
        try DiffSection.compare(lines(subjects[0]), lines(subjects[1]), context.isCancelled)
    }

    // MARK: Lines of one side

    private static func head(_ subject: DetailSubject, _ message: StoredMessage) -> [StyledText] {
        switch message {
        case .request: HeadLines.request(subject.exchange.request, malformed: subject.requestHead)
        case .response: HeadLines.response(subject.exchange.response, error: subject.row.error)
        }
    }

    /// Facts that are not in any head: sizes, durations, addresses.
    private static func overview(_ subject: DetailSubject) -> [StyledText] {
        let row = subject.row
        let pairs: [(String, String?)] = [
            ("url", row.url), ("state", row.state.rawValue), ("error", row.error),
            ("duration", row.durationNs.map(Quantity.duration)),
            ("latency", subject.exchange.timeline.latency.map(Quantity.duration)),
            ("request body", Quantity.bytes(row.requestBodyByteCount)),
            ("response body", Quantity.bytes(row.responseBodyByteCount)),
            ("process", row.process), ("server", row.serverAddress), ("tls", row.tlsVersion),
            ("note", row.note), ("tags", row.tags.isEmpty ? nil : row.tags.joined(separator: " ")),
        ]
        return pairs.compactMap { name, value in
            guard let value else { return nil }
            var line = StyledText("\(name): ", .key)
            line.append(value)
            return line
        }
    }

    private static func body(
        _ subject: DetailSubject, _ message: StoredMessage, _ context: WorkContext
    ) throws -> BodyLines {
        let body = subject.body(message)
        guard body.facts.keptByteCount > 0 else { return .none }
        body.load(body.source, upTo: BodyLines.byteCountMax, subject.row.id, context)
        return try BodyLines(body.facts, body.source, context.isCancelled)
    }
}
