internal import ProxydPresentation
internal import ArgumentParser
internal import Glibc

/// `proxyctl import`: imports exchanges from files, under new numbers.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import the exchanges of a HAR or JSON lines file.",
        discussion: """
            FILE is a HAR file from any program, or what export --format jsonl and show --json \
            write; - is standard input. Invalid entries are reported and skipped.
            """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The file to import.", valueName: "file"))
    var file: String

    func run() throws {
        let input = try InputFile(file, Environment.current)
        let directory = try global.dataDirectory()
        var run = ImportRun(destination: try ImportDestination.open(directory), fileName: file)
        let report = try Interruption.watched { try run.read(input, isInterrupted: $0) }
        Report().line(StyledText(ImportCommand.text(report)))
        if report.keptCount == 0, report.refusedCount > 0 { throw CommandFailure(nil) }
    }

    /// The summary, such as `imported 12 exchanges, 101 to 112; refused 1 entry`.
    private static func text(_ report: ImportReport) -> String {
        var text = "imported \(Quantity.count(report.keptCount, "exchange"))"
        if let first = report.firstID, let last = report.lastID {
            text += first == last ? ", \(first)" : ", \(first) to \(last)"
        }
        if report.refusedCount > 0 {
            text += "; refused \(report.refusedCount)"
        }
        if report.lostLinkCount > 0 {
            text +=
                "; \(Quantity.count(report.lostLinkCount, "replay link")) pointed outside the file"
        }
        return text
    }
}
