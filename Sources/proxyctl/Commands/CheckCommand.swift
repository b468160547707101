internal import ProxydPresentation
internal import ArgumentParser
internal import Capture
internal import ProxydCaptureModel

/// `proxyctl check`: reads the whole store and reports damage.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the store's integrity.",
        discussion: "Exits with 0 if the store is intact, otherwise with 1.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let reader = try StoreAccess.reader(global.dataDirectory())
        let problems = try StoreAccess.attempt { () throws(StoreError) in
            try reader.integrityCheck()
        }
        let report = Report()
        if problems.isEmpty { return report.line(StyledText("ok", .good) + "  \(reader.path)") }
        for problem in problems { report.line(StyledText(problem, .bad)) }
        throw CommandFailure("\(reader.path): \(Quantity.count(problems.count, "problem"))")
    }
}
