internal import ArgumentParser
internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// `proxyctl replay`: sends captured requests again.
struct ReplayCommand: ParsableCommand {
    /// When requests begin.
    enum Pacing: String, ExpressibleByArgument, CaseIterable {
        case original
    }

    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Send captured requests again and compare the responses.",
        discussion: """
            Requests go to their servers directly, whatever http_proxy says, and with what the \
            daemon knows of these: tls.extra_ca_files, tls.unverified_hosts and \
            forwarding.denied_target_networks, asked of the running daemon or read from its \
            configuration file. Each replay is a new exchange with replay_of; the original stays \
            as it is. A replay differs where its status or its body (content codings undone) does; \
            times never count.

            Edits: header:NAME=VALUE, query:NAME=VALUE, form:NAME=VALUE, json:PATH=VALUE (JSON, \
            else a string), method=METHOD, url=URL. An edited body goes without content coding.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ReplayOptions
    @Argument(help: ArgumentHelp("The exchange's number.", valueName: "id"))
    var id: Int64?
    @Option(help: ArgumentHelp("All that pass a filter, oldest first.", valueName: "filter"))
    var filter: String?
    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        guard (id == nil) != (filter == nil) else {
            throw ValidationError("give an exchange's number or --filter")
        }
        try options.check()
    }

    func run() throws {
        let plan = try options.plan()
        let selected = try filter.map { try FilterArgument.parse($0) }
        let directory = try global.dataDirectory()
        let reader = try StoreAccess.reader(directory)
        let single = try id.map { try ReplayCommand.exchange($0, reader) }
        let selection = try ReplaySelection(reader, selected ?? .everything)
        let configuration = try options.sessionConfiguration(directory)
        let recording = try ReplayRecording.open(directory)
        let session = Session(recordingInto: recording.sink, configuration: configuration)
        let run = ReplayRun(session, plan: plan)
        let ending = Interruption.watched { isInterrupted in
            if let single {
                replay(single, run, isInterrupted)
            } else {
                replay(selection, run, isInterrupted)
            }
        }
        session.shutdown()
        try recording.finish()
        ending.report.finish()
        if let failure = ending.failure {
            throw failure is CancellationError ? CommandFailure("interrupted") : failure
        }
        try conclude(ending.report)
    }

    private var report: ReplayReport { ReplayReport(asJSON: json, .current) }

    private func replay(
        _ exchange: Exchange, _ run: ReplayRun, _ isInterrupted: () -> Bool
    ) -> ReplayCommandRun.Ending {
        let total = Double(options.times)
        return ReplayCommandRun(run: run) { Double($1) / total }
            .perform(ReplayList([exchange]), report, isInterrupted)
    }

    private func replay(
        _ selection: ReplaySelection, _ run: ReplayRun, _ isInterrupted: () -> Bool
    ) -> ReplayCommandRun.Ending {
        let last = Double(max(1, selection.last.rawValue))
        return ReplayCommandRun(run: run) { result, _ in
            Double(result.originalID.rawValue) / last
        }.perform(selection, report, isInterrupted)
    }

    private static func exchange(_ number: Int64, _ reader: any ExchangeReading) throws -> Exchange
    {
        let id = ExchangeID(rawValue: number)
        let row = try StoreAccess.attempt { () throws(StoreError) in try reader.row(id) }
        guard let row, let exchange = try ReplaySelection.exchange(row, reader) else {
            throw CommandFailure("there is no exchange \(id)")
        }
        return exchange
    }

    private func conclude(_ report: ReplayReport) throws {
        if report.sentCount + report.refusedCount == 0 { throw CommandFailure("nothing matched") }
        if report.failedCount > 0 || report.refusedCount > 0 { throw CommandFailure(nil) }
        if options.stopOnMismatch, report.mismatchCount > 0 { throw CommandFailure(nil) }
    }
}
