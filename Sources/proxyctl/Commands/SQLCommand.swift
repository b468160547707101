internal import ArgumentParser
internal import Capture
internal import ProxydCaptureModel

/// `proxyctl sql`: runs a read-only statement on the documented schema.
struct SQLCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "sql", abstract: "Run a read-only SQL statement.",
        discussion: """
            The view exchanges has the columns of list --json; the table parameter has decoded \
            parameters. Prints a table on a terminal, otherwise tab-separated values without a \
            heading. With --store, the statement is PostgreSQL's.
            """)

    /// The maximum memory of SQLite, in bytes: sorting a million exchanges takes a quarter of it.
    private static let memoryByteCount: Int64 = 1 << 30

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Argument(help: ArgumentHelp("A single statement.", valueName: "statement"))
    var statement: String
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        StoreLibrary.limitMemory(byteCount: SQLCommand.memoryByteCount)
        let environment = Environment.current
        let reader = try reading.place(global).sqlReader()
        let printer = printer(environment)
        try StoreAccess.attempt { () throws(StoreError) in
            try reader.sql(statement) { names in
                printer.begin(names)
            } onRow: { values in
                printer.print(values)
                return true
            }
        }
        printer.finish()
    }

    private func printer(_ environment: Environment) -> any SQLPrinter {
        if json { return SQLJSONPrinter(environment) }
        if environment.isTerminal { return SQLTablePrinter(environment) }
        return SQLTSVPrinter(environment)
    }
}
