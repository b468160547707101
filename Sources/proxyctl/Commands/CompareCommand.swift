internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydRules
internal import ArgumentParser

/// `proxyctl compare`: what two runs did differently.
struct CompareCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two sets of exchanges: new, gone, changed, slower.",
        discussion: """
            Requests are matched as for serve and mocks: by method, URL with its query in any \
            order, and body. Responses are compared by status, header fields and body, JSON by \
            its values; fields that differ from run to run, such as Date, are not. A request is \
            slower if its median takes more than 1.5 times as long, and more than 20 ms longer.

            'run --tag NAME -- COMMAND' and 'mark FILTER --tag NAME' tag what to compare: \
            'compare tag=before tag=after'.

            Exit codes: 0 nothing differs, 1 something does, 64 wrong usage, 66 there is no \
            store or a filter matches nothing.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Argument(help: ArgumentHelp("The exchanges before.", valueName: "filter-a"))
    var before: String
    @Argument(help: ArgumentHelp("The exchanges after.", valueName: "filter-b"))
    var after: String
    @Option(help: ArgumentHelp("Also compare header:NAME; may be repeated.", valueName: "what"))
    var match: [String] = []
    @Option(
        help: ArgumentHelp(
            "Do not compare query:NAME, form:NAME or json:PATH of requests; may be repeated.",
            valueName: "what"))
    var ignore: [String] = []
    @Flag(name: .customLong("any-server"), help: "Match requests to different servers.")
    var anyServer = false
    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws { _ = try matching() }

    private func matching() throws -> MockMatching {
        do throws(MockMatching.Mistake) {
            return try MockMatching(match: match, ignore: ignore)
        } catch {
            let option = error.list == .match ? "--match" : "--ignore"
            throw ValidationError("\(option): \(error.message)")
        }
    }

    /// What to do if there is nothing to compare at all.
    private func nextStep(_ filter: Filter) throws -> String? {
        guard !reading.namesFile, global.storeURI == nil, filter.matchesEverything else {
            return nil
        }
        return NextStep.withoutTraffic(try global.dataDirectory())
    }

    func run() throws {
        let filters = [try FilterArgument.parse(before), try FilterArgument.parse(after)]
        let store = try FlushedStore(reading, global)
        let reader = store.reader
        for gap in store.gaps { Report.warn("the record may be incomplete: \(gap)") }
        let matching = try matching()
        let sides = try filters.map { filter in
            try ComparedExchange.side(reader, filter, matching, anyServer: anyServer)
        }
        for (side, filter) in zip(sides, filters) {
            guard let problem = side.problem(filter) else { continue }
            guard !side.isCut else { throw CommandFailure(problem) }
            throw CommandFailure(problem, code: .noInput, nextStep: try nextStep(filter))
        }
        let skippedCount = sides.reduce(0) { $0 + $1.skippedCount }
        if skippedCount > 0 {
            Report.warn("\(skippedCount) without a request, such as tunnels, were not compared")
        }
        let comparison = TrafficComparison(sides[0], sides[1])
        let output = Report()
        if json {
            output.json(comparison.json)
        } else {
            for line in comparison.lines { output.whole(line) }
        }
        if !comparison.isEqual { throw CommandFailure(nil) }
    }
}
