internal import ArgumentParser

/// `proxyctl filter`: prints the manual of `help filter`, for users who look for it here.
struct FilterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter", abstract: "Explain the filter language.", shouldDisplay: false,
        helpNames: [])

    @OptionGroup var global: GlobalOptions
    @Flag(name: [.short, .long], help: .hidden)
    var help = false

    func run() { FilterCommand.printManual() }

    static func printManual() {
        let environment = Environment.current
        let report = Report(environment)
        for line in FilterManualReport(environment).lines() { report.wrapped(line) }
    }
}
