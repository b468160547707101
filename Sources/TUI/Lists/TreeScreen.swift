internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydPresentation

/// Hosts and their paths as a tree ("Structure"), with totals of everything below each. A level is
/// read when it is unfolded; the rows are never all in memory.
struct TreeScreen: LineListScreen {
    typealias Answer = Filter

    enum News: Sendable {
        /// The entries below a place, intermediate or final.
        case counting(Found)
        case counted(Found)
        /// The extent of the store, to detect changes.
        case extent(StoreExtent)
    }

    let title = "Structure"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .tree]
    static let barCounts = (above: 1, below: 1)

    private(set) var order = TreeOrder.name
    /// What was read of each place that is or was unfolded.
    private(set) var branches: [TreePath: Branches] = [:]
    private(set) var lines: [TreeLine] = []
    var cursor = ListCursor()
    private var open: Set<TreePath> = [.everything]

    /// Places that are being read, and the share of the store that was scanned.
    private(set) var reading: [TreePath: Double] = [:]
    private(set) var isPartial = false
    private(set) var problem: String?
    private var extent: StoreExtent?
    private var pace = RecountPace()
    private let listFilter: Filter
    private var trail: FilterTrail

    init(filter: Filter) {
        listFilter = filter
        trail = FilterTrail(filter)
    }

    var filter: Filter { trail.filter }

    var selected: TreeLine? {
        lines.indices.contains(cursor.selected) ? lines[cursor.selected] : nil
    }
    var all: BranchTotals { branches[.everything]?.all ?? BranchTotals() }

    func isOpen(_ path: TreePath) -> Bool { open.contains(path) }

    mutating func appear(_ context: Context) -> [Effect] {
        fit(context)
        return branches.isEmpty && reading.isEmpty ? read([.everything], context) : []
    }

    // MARK: Moving

    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .unfoldBranch: return unfold(context)
        case .foldBranch: fold()
        case .foldTree:
            open = [.everything]
            list()
        case .sortTree:
            order = order.next
            list()
        case .focus: return focus(context)
        case .undoFilter: return undoFilter(context)
        case .close: return close()
        case .reload: return readAgain(context)
        case .cancel: return cancel()
        default: return RowFacet(action).map { narrow(to: $0, context) } ?? []
        }
        return []
    }

    // MARK: Folding

    mutating func openLine(_ context: Context) -> [Effect] {
        guard let path = selected?.path else { return focus(context) }
        guard isOpen(path) else { return unfold(context) }
        fold()
        return []
    }

    private mutating func unfold(_ context: Context) -> [Effect] {
        guard let path = selected?.path else { return [] }
        guard !isOpen(path) else {
            cursor.move(by: 1)
            return []
        }
        open.insert(path)
        let effects = branches[path] == nil ? read([path], context) : []
        list()
        return effects
    }

    private mutating func fold() {
        guard let line = selected else { return }
        if let path = line.path, isOpen(path) {
            open.remove(path)
            list()
        } else if let above = lines[..<cursor.selected].lastIndex(where: { $0.path == line.parent }
        ) {
            cursor.select(above)
        }
    }

    private func focus(_ context: Context) -> [Effect] {
        guard let line = selected else { return [] }
        let isOnly = lines.count { $0.depth == 0 && $0.host == line.host } == 1
        guard let text = TreeFocus.text(line, in: filter, isOnlyOfHost: isOnly) else { return [] }
        return [FocusedFilter.answer(text, context)]
    }

    // MARK: Filtering

    /// Narrows the counts to what matches the cursor's line, or to everything else.
    private mutating func narrow(to facet: RowFacet, _ context: Context) -> [Effect] {
        guard let term = selected?.term(facet) else { return [] }
        do throws(FilterError) {
            let narrower = try context.filter(FilterText.narrowed(filter, by: [term]))
            guard narrower.text != filter.text else { return [] }
            trail.apply(narrower)
            return readAgain(context)
        } catch {
            return [.notify(.problem(error.message))]
        }
    }

    private mutating func undoFilter(_ context: Context) -> [Effect] {
        trail.goBack() ? readAgain(context) : [FilterTrail.nothingBefore()]
    }

    /// The list continues with the filter of the tree.
    private func close() -> [Effect] { filter.text == listFilter.text ? [] : [.answer(filter)] }

    // MARK: Reading

    struct Found: Sendable {
        let path: TreePath
        let branches: Branches
        let share: Double
        let extent: StoreExtent
    }

    private mutating func read(_ paths: [TreePath], _ context: Context) -> [Effect] {
        let filter = filter
        if reading.isEmpty {
            pace.begin(context.now)
            isPartial = false
        }
        return paths.map { path in
            reading[path] = 0
            let slot = TreeScreen.slot(path)
            return .work(
                Work(slot, on: .counts) { context, report in
                    let extent = try context.rows.extent()
                    let report = ReportPace.paced(report)
                    let branches = try context.rows.branches(of: path, filter) {
                        report(
                            .counting(
                                Found(path: path, branches: $0, share: $1 ?? 0, extent: extent)))
                    }
                    return .counted(Found(path: path, branches: branches, share: 1, extent: extent))
                })
        }
    }

    private static func slot(_ path: TreePath) -> String {
        guard let server = path.server else { return "tree" }
        return "tree \(server.scheme ?? "") \(server.host ?? "") \(server.port ?? 0) " + path.folder
    }

    private mutating func readAgain(_ context: Context) -> [Effect] {
        branches = branches.filter { open.contains($0.key) }
        return cancel() + read(open.filter { branches[$0] != nil || $0 == .everything }, context)
    }

    private mutating func cancel() -> [Effect] {
        isPartial = isPartial || !reading.isEmpty
        let slots = reading.keys.map(TreeScreen.slot)
        reading = [:]
        list()
        return slots.map { .cancelWork(slot: $0) }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .counting(let found):
            reading[found.path] = found.share
            // The earlier result stays until everything has been counted again.
            if branches[found.path]?.all.count ?? 0 <= found.branches.all.count {
                branches[found.path] = found.branches
                list()
            }
        case .counted(let found): take(found, context)
        case .extent(let extent):
            guard extent != self.extent else { return [] }
            return readAgain(context)
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        reading = [:]
        list()
        guard branches.isEmpty else { return [.notify(.problem(words))] }
        problem = words
        return []
    }

    mutating func storeChanged(_ context: Context) -> [Effect] { look(context) }

    private mutating func take(_ found: Found, _ context: Context) {
        problem = nil
        reading[found.path] = nil
        branches[found.path] = found.branches
        if found.path == .everything { extent = found.extent }
        if reading.isEmpty { pace.end(context.now) }
        list()
    }

    /// Counts again after a change, but not too often.
    private mutating func look(_ context: Context) -> [Effect] {
        guard reading.isEmpty, !isPartial, pace.isDue(context.now) else { return [] }
        if branches.isEmpty { return read([.everything], context) }
        return [.work(Work("look", on: .rows, isQuiet: true) { .extent(try $0.rows.extent()) })]
    }

    // MARK: Lines

    /// Lists the branches of everything unfolded; the cursor stays where it was.
    private mutating func list() {
        let former = selected?.kind
        lines = []
        add(below: .everything, depth: 0)
        cursor.count = lines.count
        if let former, let index = lines.firstIndex(where: { $0.kind == former }) {
            cursor.select(index)
        }
    }

    private mutating func add(below path: TreePath, depth: Int) {
        guard let found = branches[path] else {
            if reading[path] != nil { lines.append(TreeLine(reading: path, depth: depth)) }
            return
        }
        let order = order
        let sorted = found.totals.map { TreeLine($0.key, below: path, depth: depth, $0.value) }
            .sorted { order.isBefore($0, $1) }
        for line in sorted {
            lines.append(line)
            if let next = line.path, isOpen(next) { add(below: next, depth: depth + 1) }
        }
        if found.others.count > 0 {
            lines.append(TreeLine(othersOf: path, depth: depth, found.others))
        }
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        var table = Table(columns: columns(canvas.columns, context))
        table.start = canvas.columns - table.width + 1
        let barWidth = canvas.columns >= 110 ? 20 : 0
        let nameWidth = max(0, table.start - 1 - (barWidth == 0 ? 0 : barWidth + 1))
        canvas.draw(
            "  host and path" + (order == .name ? "▲" : ""), column: 0, row: 0, width: nameWidth,
            Style(.heading).adding(.bold))
        table.drawHeadings(into: canvas)
        let body = canvas.part(row: 1, rows: canvas.rows - 2)
        if lines.isEmpty { body.drawRemark(emptyText) }
        let most = lines.reduce(1) { max($0, $1.totals.count) }
        body.drawLines(of: cursor) { index, row in
            let line = lines[index]
            draw(line, body.part(columns: nameWidth), row)
            guard line.totals.count > 0 else { return }
            drawBar(line, most, body.part(column: nameWidth, columns: barWidth), row)
            table.draw(line, into: body, row: row)
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private var emptyText: String {
        if let problem { return problem }
        if !reading.isEmpty { return "reading…" }
        return filter.matchesEverything ? "nothing has been recorded yet" : "nothing matches"
    }

    private func columns(_ width: Int, _ context: Context) -> [Table<TreeLine>.Column] {
        var columns = [
            column(.count, width: 9) { (Quantity.grouped($0.count), .plain) },
            column(.errors, width: 8) {
                ($0.errorCount == 0 ? "" : Quantity.grouped($0.errorCount), Style(.bad))
            },
        ]
        if width >= 50 {
            columns.append(
                column(.size, width: 8) {
                    (
                        Quantity.bytes($0.byteCount),
                        Style(Quantity.scale($0.byteCount, from: 10_000))
                    )
                })
        }
        if width >= 70 {
            columns.append(
                column(.newest, width: 11) {
                    (context.clock.short($0.lastStartedAtNs, now: context.now), Style(.dim))
                })
        }
        return columns
    }

    private func column(
        _ order: TreeOrder, width: Int, _ cell: @escaping (BranchTotals) -> (String, Style)
    ) -> Table<TreeLine>.Column {
        Table.Column(
            title: order.rawValue + (order == self.order ? "▼" : ""), width: width, isRight: true
        ) { cell($0.totals) }
    }

    private func draw(_ line: TreeLine, _ canvas: Canvas, _ row: Int) {
        let start = 1 + 2 * min(line.depth, max(0, canvas.columns / 4))
        if let path = line.path {
            canvas.draw(isOpen(path) ? "▾" : "▸", column: start, row: row, Style(.dim))
        }
        canvas.draw(
            line.label, column: start + 2, row: row, width: canvas.columns - start - 2, style(line))
    }

    private func style(_ line: TreeLine) -> Style {
        switch line.kind {
        case .branch(.server, _): Style(.accent).adding(.bold)
        case .branch(.folder, _): Style(.plain).adding(.bold)
        case .branch(.path(_?), _): .plain
        case .branch(.path(nil), _), .others, .reading: Style(.dim)
        }
    }

    /// Draws the amount below a line, relative to the line with the most.
    private func drawBar(_ line: TreeLine, _ most: Int64, _ canvas: Canvas, _ row: Int) {
        guard canvas.columns > 0 else { return }
        let share = Double(line.totals.count) / Double(max(1, most))
        let length = max(1, min(canvas.columns, Int((share * Double(canvas.columns)).rounded())))
        let bad = Double(line.totals.errorCount) / Double(max(1, line.totals.count))
        let badLength = line.totals.errorCount == 0 ? 0 : max(1, Int(bad * Double(length)))
        let column = canvas.draw(
            String(repeating: "▬", count: length - min(length, badLength)), row: row,
            Style(.accent))
        canvas.draw(
            String(repeating: "▬", count: min(length, badLength)), column: column, row: row,
            Style(.bad))
    }

    private func drawInformation(_ canvas: Canvas) {
        var line = StyledText()
        if !filter.matchesEverything { line += .filter(filter) }
        let isExact = reading[.everything] == nil && !isPartial
        let count =
            isExact
            ? Quantity.count(all.count, "exchange", isGrouped: true)
            : "\(Quantity.grouped(all.count))+ exchanges"
        line.append("  \(count), \(Quantity.bytes(all.byteCount))")
        if all.errorCount > 0 {
            let count = Quantity.count(all.errorCount, "error", isGrouped: true)
            line.append("  \(count)", Style(.bad))
        }
        if isPartial { line.append("  cancelled: not all were counted, R counts", Style(.warning)) }
        if let share = reading.values.min() { line += "  " + .progress("counting", share) }
        canvas.drawBar(line)
    }
}
