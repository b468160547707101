internal import ProxydPresentation
internal import ProxydCaptureModel

/// The contents of a tab: fixed lines, followed by the lines of a viewer.
struct DetailPage: Sendable {
    struct Shown: Sendable {
        /// The title of a part of another body, or nil for the body of a message.
        var partTitle: String?
        var facts: BodyFacts
        var source: any BodySource
        /// The body to load for more bytes, or nil if it is complete.
        var loaded: LoadedBody?
        /// The message the body belongs to, or nil for a message of the tab Messages.
        var message: StoredMessage?
    }

    var head: [StyledText] = []
    private(set) var shown: Shown?
    private(set) var viewer: (any BodyViewer)?
    /// What the viewer sees of the body, in which searches look.
    private(set) var viewed: ViewedBody?
    /// The viewers that suit the body, the best first.
    private(set) var viewers: [any BodyViewer.Type] = []
    var pager = LinePager()
    var match: SearchHit?
    /// The enclosing pages, if this one shows a part of a body.
    private var outer: [DetailPage] = []
    /// Changes with every new viewer, so that results for an older one can be discarded.
    private(set) var generation = 0

    init(head: [StyledText], generation: Int = 0) {
        self.head = head
        self.generation = generation
    }

    /// Creates a page with a body after its lines, in a previously chosen viewer or the best one.
    init(
        head: [StyledText], _ shown: Shown, viewers: [any BodyViewer.Type], preferred: String?,
        generation: Int = 0
    ) {
        self.head = head
        self.generation = generation
        self.shown = shown
        self.viewers = viewers
        let type = viewers.first { $0.name == preferred } ?? viewers.first
        view(as: type)
    }

    private mutating func view(as type: (any BodyViewer.Type)?) {
        guard let type, let shown else { return }
        let viewed = ViewedBody(type, shown.facts, shown.source)
        self.viewed = viewed
        viewer = viewed.viewer
    }

    var viewerName: String? { viewer.map { type(of: $0).name } }

    var lineCount: Int { head.count + (viewer?.lineCount ?? 0) }

    /// The line of the page with the latest match.
    var matchedLine: Int? {
        switch match {
        case .head(let line): line
        case .body(let line?, _): head.count + line
        case .body(nil, _), nil: nil
        }
    }

    func lines(_ range: Range<Int>) -> [StyledText] {
        let wanted = range.clamped(to: 0..<max(0, lineCount))
        var lines = Array(head[wanted.clamped(to: head.indices)])
        if let viewer, wanted.upperBound > head.count {
            let first = max(0, wanted.lowerBound - head.count)
            lines += viewer.lines(first..<(wanted.upperBound - head.count))
        }
        return lines
    }

    func height(of line: Int, width: Int) -> Int {
        guard pager.wraps else { return 1 }
        return lines(line..<line + 1).first?.rowCount(width: width) ?? 1
    }

    /// The viewer's line under the cursor, or nil on the lines before the body.
    var viewerLine: Int? {
        let line = pager.cursor - head.count
        return viewer != nil && line >= 0 ? line : nil
    }

    /// The end offset of the bytes shown above one of the viewer's lines.
    func endOfBytes(aboveViewerLine line: Int) -> Int {
        guard let viewer, line > 0 else { return 0 }
        let own = viewer.offset(ofLine: line)
        if let own, (viewer.line(atOffset: own) ?? line) >= line { return own }
        // Bytes that several lines show are counted at the first of these, which is above.
        for next in line..<max(line, viewer.lineCount) {
            if let offset = viewer.offset(ofLine: next), offset != own { return offset }
        }
        return .max
    }

    // MARK: Finding lines

    /// Whether all lines are known.
    var isAtEnd: Bool {
        (shown?.source.extent.isComplete ?? true) && (viewer?.isComplete ?? true)
    }

    /// Whether the screen shows the end of the available part, and more can be loaded.
    func needsLoading(rows: Int) -> Bool {
        guard let shown, !shown.source.extent.isComplete else { return false }
        return max(pager.top, pager.cursor) + rows > lineCount
    }

    /// Finds lines up to what the screen shows, if cheap; false if a worker thread has to do more.
    mutating func advance(rows: Int, byteBudget: Int) -> Bool {
        advance(toLine: max(pager.top, pager.cursor) - head.count + rows + 1, byteBudget)
    }

    mutating func advance(toLine line: Int, _ byteBudget: Int) -> Bool {
        guard var viewer else { return true }
        let (limit, isOver) = viewer.indexedByteCount.addingReportingOverflow(byteBudget)
        var last = -1
        while viewer.lineCount < line, !viewer.isComplete, viewer.indexedByteCount != last,
            isOver || viewer.indexedByteCount < limit
        {
            last = viewer.indexedByteCount
            viewer.advance(byteBudget: byteBudget)
        }
        self.viewer = viewer
        return viewer.lineCount >= line || viewer.isComplete
    }

    /// Takes over the results of a worker thread; returns false if the viewer has changed since.
    mutating func take(_ viewer: any BodyViewer, generation: Int) -> Bool {
        guard generation == self.generation else { return false }
        self.viewer = viewer
        return true
    }

    var isPart: Bool { !outer.isEmpty }

    /// Replaces the lines before the body; the cursor keeps its position in the body.
    mutating func replaceHead(_ lines: [StyledText]) {
        guard outer.isEmpty else {
            outer[0].replaceHead(lines)
            return
        }
        let step = lines.count - head.count
        let isInBody = pager.cursor >= head.count
        head = lines
        if isInBody, step != 0 { pager.shift(by: step, count: max(1, lineCount)) }
    }

    // MARK: What a person does

    mutating func changeViewer(by step: Int) {
        guard shown != nil, !viewers.isEmpty else { return }
        let current = viewers.firstIndex { $0.name == viewerName } ?? 0
        let count = viewers.count
        view(as: viewers[((current + step) % count + count) % count])
        begin()
    }

    /// Folds or unfolds at the cursor; `isOpening` says which, and nil toggles.
    mutating func toggleFold(isOpening: Bool? = nil) -> Bool {
        guard let line = viewerLine, let fold = viewer?.lines(line..<line + 1).first?.fold,
            fold != .none, isOpening == nil || isOpening == (fold == .closed),
            viewer?.toggleFold(atLine: line) == true
        else { return false }
        generation += 1
        match = nil
        return true
    }

    /// Folds everything deeper than a number of levels.
    mutating func fold(depth: Int?) -> Bool {
        guard viewer?.setFoldDepth(depth) == true else { return false }
        begin()
        return true
    }

    mutating func openPart() -> Bool {
        guard let line = viewerLine, let shown, let part = viewer?.nestedBody(atLine: line) else {
            return false
        }
        var page = DetailPage(
            head: [StyledText(part.title, .heading)],
            Shown(
                partTitle: part.title, facts: part.facts, source: part.source, loaded: nil,
                message: shown.message),
            viewers: BodyViewers.suited(to: part.facts), preferred: nil)
        page.outer = outer + [self]
        page.generation = generation + 1
        self = page
        return true
    }

    mutating func closePart() -> Bool {
        guard var page = outer.last else { return false }
        page.generation = generation + 1
        self = page
        return true
    }

    private mutating func begin() {
        generation += 1
        match = nil
        pager.go(to: min(pager.cursor, head.count), count: head.count + 1)
    }
}
