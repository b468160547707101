internal import ArgumentParser
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

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

    private func columnChoice() throws -> ColumnChoice? {
        do throws(ColumnChoice.Problem) {
            return try columns.map { (text) throws(ColumnChoice.Problem) in try ColumnChoice(text) }
        } catch {
            throw ValidationError("--columns: \(error.message)")
        }
    }

    func run() throws {
        let environment = Environment.current
        let filter = try selection.filter()
        let place = try reading.place(global)
        let reader = try place.reader()
        let bound = limit ?? (environment.isTerminal && !json ? ListCommand.terminalLimit : nil)
        let printer = try printer(reader, environment)
        let count = try StoreAccess.attempt { () throws(StoreError) in
            try ListCommand.print(reader, filter ?? .everything, bound, printer)
        }
        printer.finish()
        if count == 0 { try ListCommand.explainNothing(in: place, hasFilter: filter != nil) }
    }

    private func printer(
        _ reader: any ExchangeReading, _ environment: Environment
    ) throws -> any RowPrinting {
        if let columns = try columnChoice() {
            return ColumnPrinter(columns, asJSON: json, environment)
        }
        return try RowPrinter(reader, asJSON: json, environment)
    }

    /// Prints the rows; returns how many there were. A limit of 0 still checks whether there is
    /// one.
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
    private static func explainNothing(in place: StorePlace, hasFilter: Bool) throws {
        if hasFilter { throw CommandFailure("nothing matched") }
        Report.warn("nothing has been recorded yet")
        guard place.central == nil, !LeadingFile.isNamed else { return }
        Report.warn(NextStep.withoutTraffic(place.directory))
    }
}
