internal import ArgumentParser
internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// `proxyctl replay`: sends captured requests again.
struct ReplayCommand: ParsableCommand {
    /// When requests start.
    enum Pacing: String, ExpressibleByArgument, CaseIterable {
        case original
    }

    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Send captured requests again and compare the responses.",
        discussion: """
            Requests are sent directly to their servers, whatever http_proxy says, and with the \
            daemon's tls.extra_ca_files, tls.unverified_hosts and \
            forwarding.denied_target_networks, which come from the running daemon or its \
            configuration file. Each replay is a new exchange with replay_of; the original is not \
            changed. A replay differs if its status or its decoded body differs; times are not \
            compared.

            A WebSocket is opened again, and its client's messages are sent again: each after the \
            server has sent as many messages as it had before, or with --pace recorded at its \
            recorded time. Only the message counts are compared. With --interactive, the lines of \
            standard input are sent instead. A gRPC call sends the same messages; an event stream \
            is read until it ends, or for --duration.

            Edits: header:NAME=VALUE, query:NAME=VALUE, form:NAME=VALUE, json:PATH=VALUE (JSON, \
            otherwise a string), method=METHOD, url=URL. An edited body is sent without content \
            coding.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: ReplayOptions
    @OptionGroup var conversation: ConversationOptions
    @Argument(help: ExchangeArgument.help)
    var id: ExchangeArgument?
    @Option(
        help: ArgumentHelp("All exchanges that match a filter, oldest first.", valueName: "filter"))
    var filter: String?
    @Flag(help: "One JSON object per line.")
    var json = false

    func validate() throws {
        guard (id == nil) != (filter == nil) else {
            throw ValidationError("give the number of an exchange or --filter")
        }
        try options.check()
        try conversation.check(isSingle: id != nil && options.times == 1)
    }

    func run() throws {
        var plan = try options.plan()
        plan.duration = conversation.limit
        let selected = try filter.map { try FilterArgument.parse($0) }
        let place = try global.place()
        let directory = place.directory
        let reader = try place.reader()
        let single = try id.map { try ReplayCommand.exchange($0, reader) }
        let selection = try ReplaySelection(reader, selected ?? .everything)
        let isWebSocket = single?.upgradedTo == "websocket"
        guard isWebSocket || !conversation.isAboutWebSocket else {
            throw CommandFailure("exchange \(id?.description ?? "") is not a WebSocket")
        }
        let configuration = try options.sessionConfiguration(directory)
        let recording = try ReplayRecording.open(directory)
        let session = Session(recordingInto: recording.sink, configuration: configuration)
        if let single, isWebSocket {
            return try talk(single, reader, over: session, plan, recording)
        }
        let run = ReplayRun(session, plan: plan)
        let ending = Interruption.watched { isInterrupted in
            if let single {
                replay(single, run, report(reader), isInterrupted)
            } else {
                replay(selection, run, report(reader), isInterrupted)
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

    /// Replays a WebSocket.
    private func talk(
        _ exchange: Exchange, _ reader: any ExchangeReading, over session: Session,
        _ plan: ReplayPlan, _ recording: ReplayRecording
    ) throws {
        guard plan.roundCount == 1 else {
            throw CommandFailure("a WebSocket is replayed only once: omit --times")
        }
        guard plan.fidelity == .semantic else {
            throw CommandFailure("a WebSocket is always opened with a new key: omit --exact")
        }
        var talk = ConversationPlan()
        talk.pacing = conversation.pace == .recorded ? .recorded : .answers
        talk.version = plan.version
        talk.edits = plan.edits
        talk.sendsTruncatedMessages = plan.sendsTruncatedBodies
        talk.duration = conversation.limit
        let run = ConversationRun(
            exchange: exchange, reader: reader, session: session, plan: talk, asJSON: json,
            stopsOnMismatch: plan.stopsOnMismatch)
        let result = Interruption.watched { isInterrupted in
            Result {
                try conversation.interactive
                    ? run.talk(isInterrupted) : run.repeatMessages(isInterrupted)
            }
        }
        session.shutdown()
        try recording.finish()
        let hasFailed = try result.mapError { error in
            (error as? ClientError).map { CommandFailure($0.messageWithRemedy) } ?? error
        }.get()
        if hasFailed { throw CommandFailure(nil) }
    }

    private func report(_ reader: any ExchangeReading) -> ReplayReport {
        ReplayReport(asJSON: json, .current) { (try? reader.name(of: $0)) ?? $0.description }
    }

    private func replay(
        _ exchange: Exchange, _ run: ReplayRun, _ report: ReplayReport,
        _ isInterrupted: () -> Bool
    ) -> ReplayCommandRun.Ending {
        let total = Double(options.times)
        return ReplayCommandRun(run: run) { Double($1) / total }
            .perform(ReplayList([exchange]), report, isInterrupted)
    }

    private func replay(
        _ selection: ReplaySelection, _ run: ReplayRun, _ report: ReplayReport,
        _ isInterrupted: () -> Bool
    ) -> ReplayCommandRun.Ending {
        let last = Double(max(1, selection.lastNumber))
        return ReplayCommandRun(run: run) { result, _ in
            Double(result.originalID.rawValue) / last
        }.perform(selection, report, isInterrupted)
    }

    private static func exchange(
        _ name: ExchangeArgument, _ reader: any ExchangeReading
    ) throws -> Exchange {
        let id = try name.id(in: reader)
        let row = try StoreAccess.attempt { () throws(StoreError) in try reader.row(id) }
        guard let row, let exchange = try ReplaySelection.exchange(row, reader) else {
            throw CommandFailure("there is no exchange \(name)")
        }
        return exchange
    }

    private func conclude(_ report: ReplayReport) throws {
        if report.sentCount + report.refusedCount == 0 { throw CommandFailure("nothing matched") }
        if report.failedCount > 0 || report.refusedCount > 0 { throw CommandFailure(nil) }
        if options.stopOnMismatch, report.mismatchCount > 0 { throw CommandFailure(nil) }
    }
}
