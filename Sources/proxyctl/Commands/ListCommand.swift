internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydSystem
internal import ArgumentParser

/// `proxyctl list`: lists recorded exchanges, newest last.
struct ListCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List exchanges, newest last.",
        discussion: """
            --columns selects members of --json: without --json they are printed separated by \
            tabs, or as a table on a terminal; with --json each object has only these members. The \
            exit code is 1 if nothing matches FILTER, even with --limit 0, which prints nothing.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var selection: FilterArgument
    @Option(
        name: [.customLong("limit"), .customLong("last")],
        help: ArgumentHelp(
            "Only the newest N that match. (default: 50 on a terminal, otherwise all)",
            valueName: "n"))
    var limit: Int?
    @Option(
        help: ArgumentHelp(
            "Only these columns, separated by commas: id,method,host,…", valueName: "columns"))
    var columns: String?
    @Flag(help: "One JSON object per line.")
    var json = false

    /// The default number of rows on a terminal.
    private static let terminalLimit = 50

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        _ = try columnChoice()
    }

    private func columnChoice() throws -> ListedColumns? {
        do throws(ListedColumns.Problem) {
            return try columns.map { (text) throws(ListedColumns.Problem) in try ListedColumns(text)
            }
        } catch {
            throw ValidationError("--columns: \(error.message)")
        }
    }

    func run() throws {
        let environment = Environment.current
        let filter = try selection.filter()
        let location = try reading.location(global)
        let reader = try location.reader()
        let bound = limit ?? (environment.isTerminal && !json ? ListCommand.terminalLimit : nil)
        let printer = try printer(reader, environment)
        let count = try ListCommand.print(reader, filter ?? .everything, bound, printer)
        printer.finish()
        if count == 0 { try ListCommand.explainNothing(in: location, hasFilter: filter != nil) }
    }

    private func printer(
        _ reader: any ExchangeReading, _ environment: Environment
    ) throws -> any RowPrinting {
        if let columns = try columnChoice() {
            return ColumnPrinter(columns, asJSON: json, environment)
        }
        return try RowPrinter(reader, asJSON: json, environment)
    }

    /// Prints the rows; returns how many. A limit of 0 still checks whether there is one.
    private static func print(
        _ reader: any ExchangeReading, _ filter: Filter, _ limit: Int?, _ printer: any RowPrinting
    ) throws(StoreError) -> Int {
        if let limit {
            let rows = try reader.rows(matching: filter, .newest, limit: max(1, limit))
            for row in rows.prefix(limit).reversed() { printer.print(row) }
            return rows.count
        }
        var count = 0
        try reader.forEachRow(matching: filter, .oldest) { row in
            printer.print(row)
            count += 1
            return true
        }
        return count
    }

    /// A filter without matches is a failure; an empty store is not.
    private static func explainNothing(in location: StoreLocation, hasFilter: Bool) throws {
        if hasFilter { throw CommandFailure("nothing matched") }
        Report.warn("nothing has been recorded yet")
        guard location.central == nil, !LeadingFile.isNamed else { return }
        Report.warn(NextStep.withoutTraffic(location.directory))
    }
}

/// `proxyctl tail`: prints exchanges as they are recorded.
struct TailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Print exchanges as they are recorded.",
        discussion: """
            An exchange is printed when it ends; a long one is printed when it starts and again \
            when it ends. Works without a running daemon, too, and continues when the daemon is \
            restarted.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        let environment = Environment.current
        let filter = try selection.filter()
        let location = try global.location()
        let reader = try location.reader(asksDaemon: false)
        let printer = try RowPrinter(reader, asJSON: json, environment)
        if location.central == nil, try WritingProcess.daemon(location.directory) == nil {
            Report.warn("proxyd is not running; waiting")
        }
        let watch = location.watch()
        var follower = try location.follower(filter ?? .everything)
        while environment.output.failure == nil {
            watch.wait()
            let rows = try follower.news()
            for row in rows { printer.print(row) }
            if !rows.isEmpty { printer.flush() }
        }
    }
}

/// Prints rows of exchanges, one by one.
protocol RowPrinting: AnyObject {
    func print(_ row: ExchangeRow)
    /// Called after the last row.
    func finish()
}

/// Prints rows of exchanges, as JSON or as lines below a heading.
final class RowPrinter: RowPrinting {
    private let report: Report
    private let asJSON: Bool
    private let layout: ExchangeLine
    private var mustPrintHeading: Bool

    /// Creates a printer whose columns fit the store's newest row.
    init(_ reader: any ExchangeReading, asJSON: Bool, _ environment: Environment) throws {
        self.asJSON = asJSON
        report = Report(environment)
        let newest = try reader.lastExchangeID().map { (id) throws(StoreError) in
            try reader.name(of: id)
        }
        // Leaves room for rows that are added while a list is printed or followed.
        let widest = Int64(newest ?? "0").map {
            String($0.addingReportingOverflow(1_000).partialValue)
        }
        layout = ExchangeLine(
            now: environment.isTerminal ? SystemClock.wallNow() : nil,
            idWidth: (widest ?? newest ?? "").count)
        mustPrintHeading = environment.isTerminal && !asJSON
    }

    func print(_ row: ExchangeRow) {
        if asJSON { return report.json(row.json) }
        if mustPrintHeading {
            mustPrintHeading = false
            report.line(layout.heading)
        }
        report.line(layout.line(row))
    }

    func finish() {}

    func flush() { report.flush() }
}

/// One exchange as a line of `list` and `tail`.
///
/// Columns have fixed widths, so that lines printed hours apart are still aligned; the URL comes
/// last and takes the remaining space.
struct ExchangeLine {
    /// The wall-clock time in nanoseconds since 1970, on a terminal, where recent times are shown
    /// without their dates; otherwise nil, and every time has its date.
    let now: Int64?

    private static let columns: [TextTable.Column] = [
        .init(title: "ID", alignment: .right, columnCountMax: 19),
        .init(title: "TIME", columnCountMax: 19),
        .init(title: "METHOD", columnCountMax: 7),
        .init(title: "STATUS", alignment: .right, columnCountMax: 6),
        .init(title: "SIZE", alignment: .right, columnCountMax: 7),
        .init(title: "TOOK", alignment: .right, columnCountMax: 10),
        .init(title: "URL"),
    ]

    /// The width of the column with names of exchanges, which longer ones exceed.
    let idWidth: Int

    private func widths(_ name: String = "") -> [Int] {
        [max(5, idWidth, name.count), now == nil ? 19 : 11, 7, 6, 7, 10, 0]
    }

    var heading: StyledText {
        let titles = ExchangeLine.columns.map { StyledText($0.title, .heading) }
        return TextTable.line(titles, ExchangeLine.columns, widths())
    }

    func line(_ row: ExchangeRow) -> StyledText {
        TextTable.line(cells(row), ExchangeLine.columns, widths(row.idText))
    }

    private func cells(_ row: ExchangeRow) -> [StyledText] {
        [
            StyledText(row.idText, .dim),
            StyledText(time(row.startedAtNs), .dim),
            StyledText(row.method ?? "-", .heading),
            status(row),
            StyledText(Quantity.bytes(row.responseBodyByteCount)),
            StyledText(row.durationNs.map(Quantity.duration) ?? ""),
            StyledText(row.url ?? "-") + remarks(row),
        ]
    }

    private func time(_ nanoseconds: Int64) -> String {
        now.map { WallTime.local.short(nanoseconds, now: $0) } ?? WallTime.local.full(nanoseconds)
    }

    private func status(_ row: ExchangeRow) -> StyledText {
        if let status = row.status { return StyledText(String(status), Style(.ofStatus(status))) }
        switch row.state {
        case .active: return StyledText("...", .informational)
        case .failed: return StyledText("failed", .bad)
        case .tunnel: return StyledText("tunnel", .keyword)
        case .complete: return StyledText("-")
        }
    }

    private func remarks(_ row: ExchangeRow) -> StyledText {
        var remarks = StyledText()
        if row.state == .active, row.status != nil { remarks.append("  (running)", .informational) }
        if let protocolName = row.upgradedTo { remarks.append("  (\(protocolName))", .keyword) }
        if let operations = row.graphQLText { remarks.append("  (\(operations))", .keyword) }
        if let error = row.error { remarks.append("  \(error)", .bad) }
        for tag in row.tags { remarks.append("  #\(tag)", .notice) }
        if row.isPinned { remarks.append("  pinned", .notice) }
        if let note = row.note { remarks.append("  \"\(note)\"", .notice) }
        return remarks
    }
}

/// The columns requested from `list`: members of `list --json`, by name.
struct ListedColumns {
    /// The names, at least one and without duplicates.
    let names: [String]

    struct Problem: Error {
        let message: String
    }

    /// Parses a list such as `id,method,host`.
    init(_ text: String) throws(Problem) {
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.split(separator: " ").joined().lowercased()
            guard ExchangeRow.jsonNames.contains(name) else {
                throw Problem(message: ListedColumns.complaint(about: name))
            }
            guard !names.contains(name) else {
                throw Problem(message: "the column \(name) is given twice")
            }
            names.append(name)
        }
        self.names = names
    }

    /// The row's values for tab-separated output: lists joined with commas, absent values empty.
    func values(of row: ExchangeRow) -> [SQLValue] {
        names.map { SQLValue(row.jsonMember(named: $0) ?? .null) }
    }

    /// The row with only these members, in this order.
    func json(of row: ExchangeRow) -> JSONValue {
        .members(names.map { ($0, row.jsonMember(named: $0) ?? .null) })
    }

    private static func complaint(about name: String) -> String {
        if name.isEmpty { return "a column name is missing" }
        let near = NearNames.of(name, among: ExchangeRow.jsonNames)
        let hint =
            near.isEmpty
            ? "the columns are \(ExchangeRow.jsonNames.joined(separator: ", "))"
            : "did you mean \(near.joined(separator: " or "))?"
        return "there is no column \"\(name)\": \(hint)"
    }
}

extension SQLValue {
    /// Converts a member of a JSON row.
    fileprivate init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let isTrue): self = .text(isTrue ? "true" : "false")
        case .number(let digits): self = Int64(digits).map(SQLValue.integer) ?? .text(digits)
        case .string(let text): self = .text(text)
        case .array(let elements):
            self = .text(elements.map { SQLValue($0).shown }.joined(separator: ","))
        case .object: self = .null
        }
    }
}

/// Prints chosen columns of rows: as JSON, as a table on a terminal, otherwise separated by tabs.
final class ColumnPrinter: RowPrinting {
    private let columns: ListedColumns
    private let report: Report
    /// Nil for JSON.
    private let printer: (any SQLPrinter)?
    private var hasBegun = false

    init(_ columns: ListedColumns, asJSON: Bool, _ environment: Environment) {
        self.columns = columns
        report = Report(environment)
        let table: any SQLPrinter =
            environment.isTerminal ? SQLTablePrinter(environment) : SQLTSVPrinter(environment)
        printer = asJSON ? nil : table
    }

    func print(_ row: ExchangeRow) {
        guard let printer else { return report.json(columns.json(of: row)) }
        if !hasBegun { printer.begin(columns.names) }
        hasBegun = true
        printer.print(columns.values(of: row))
    }

    func finish() { if hasBegun { printer?.finish() } }
}
