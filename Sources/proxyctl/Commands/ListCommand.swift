internal import ArgumentParser
internal import Capture
internal import HTTPModel

/// `proxyctl list`: recorded exchanges, the newest last.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List exchanges, the newest last.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Option(
        help: ArgumentHelp(
            "Only the newest N that match. (default: 50 on a terminal, else all)",
            valueName: "n"))
    var limit: Int?
    @Flag(help: "One JSON object a line.")
    var json = false

    /// How many rows a terminal gets unless told otherwise.
    private static let terminalLimit = 50

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let filter = try selection.filter()
        let reader = try StoreAccess.reader(global.dataDirectory())
        let bound = limit ?? (surroundings.isTerminal && !json ? ListCommand.terminalLimit : nil)
        let printer = try RowPrinter(reader, asJSON: json, surroundings)
        let count = try StoreAccess.attempt { () throws(StoreError) in
            try ListCommand.print(reader, filter ?? .everything, bound, printer)
        }
        if count == 0 { try ListCommand.explainNothing(hasFilter: filter != nil) }
    }

    /// Prints the rows; how many they were.
    private static func print(
        _ reader: StoreReader, _ filter: Filter, _ limit: Int?, _ printer: RowPrinter
    ) throws(StoreError) -> Int {
        if let limit {
            let rows = try reader.rows(matching: filter, .newest, limit: limit)
            for row in rows.reversed() { printer.print(row) }
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

    /// A filter that matches nothing fails; a store that is still empty is no failure.
    private static func explainNothing(hasFilter: Bool) throws {
        if hasFilter { throw CommandFailure("nothing matched") }
        Report.warn("nothing was recorded yet")
    }
}
