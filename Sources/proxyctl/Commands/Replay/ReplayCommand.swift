internal import Capture
internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ArgumentParser

/// `proxyctl replay`: sends captured requests again.
struct ReplayCommand: ParsableCommand {
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
        let location = try global.location()
        let directory = location.directory
        let reader = try location.reader()
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
        let ending = try Interruption.watched { isInterrupted in
            if let single {
                try replay(single, run, report(reader), isInterrupted)
            } else {
                try replay(selection, run, report(reader), isInterrupted)
            }
        }
        session.shutdown()
        try recording.finish()
        ending.report.finish()
        if let failure = ending.failure {
            throw failure is CancellationError ? CommandFailure("interrupted") : failure
        }
        let counts = ending.report
        if counts.sentCount + counts.refusedCount == 0 { throw CommandFailure("nothing matched") }
        if counts.failedCount > 0 || counts.refusedCount > 0 { throw CommandFailure(nil) }
        if options.stopOnMismatch, counts.mismatchCount > 0 { throw CommandFailure(nil) }
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
        _ exchange: Exchange, _ run: ReplayRun, _ report: ReplayReport, _ isInterrupted: () -> Bool
    ) throws -> ReplayCommandRun.Ending {
        let total = Double(options.times)
        return try ReplayCommandRun(run: run) { Double($1) / total }
            .perform(ReplayList([exchange]), report, isInterrupted)
    }

    private func replay(
        _ selection: ReplaySelection, _ run: ReplayRun, _ report: ReplayReport,
        _ isInterrupted: () -> Bool
    ) throws -> ReplayCommandRun.Ending {
        let last = Double(max(1, selection.lastNumber))
        return try ReplayCommandRun(run: run) { result, _ in
            Double(result.originalID.rawValue) / last
        }.perform(selection, report, isInterrupted)
    }

    private static func exchange(
        _ name: ExchangeArgument, _ reader: any ExchangeReading
    ) throws -> Exchange {
        let id = try name.id(in: reader)
        let row = try reader.row(id)
        guard let row, let captured = try reader.captured(row) else {
            throw CommandFailure("there is no exchange \(name)")
        }
        return captured.exchange
    }
}

/// How `proxyctl replay` sends requests.
struct ReplayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many times to send each request.", valueName: "n"))
    var times = 1
    @Option(
        help: ArgumentHelp(
            "The number of concurrent requests. (default: 1, with --pacing 64)", valueName: "k"))
    var concurrency: Int?
    @Option(help: ArgumentHelp("Milliseconds between the starts of two requests.", valueName: "ms"))
    var delayMs = 0
    @Option(
        help: ArgumentHelp("Random extra delay, up to this many milliseconds.", valueName: "ms"))
    var jitterMs = 0
    @Flag(help: "Send exactly the bytes that were sent to the server.")
    var exact = false
    @Option(
        help: ArgumentHelp(
            "1.1 or 2, instead of the version used originally.", valueName: "version"))
    var httpVersion: String?
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("An edit to apply; may be repeated.", valueName: "edit"))
    var settings: [String] = []
    @Option(
        name: .customLong("unset"),
        help: ArgumentHelp(
            "A header:NAME, query:NAME, form:NAME or json:PATH to remove.", valueName: "what"))
    var removals: [String] = []
    @Flag(help: "Send the recorded part of a truncated request body.")
    var truncated = false
    @Flag(help: "Stop at the first response that differs, and exit with 1.")
    var stopOnMismatch = false
    @Option(
        help: ArgumentHelp(
            "original: keep the original intervals between requests.", valueName: "pacing"))
    var pacing: ReplayCommand.Pacing?

    @Option(
        defaultAsFlag: ReplayOptions.ownDaemon,
        help: ArgumentHelp(
            "Use a proxy (http or socks5); without a URL, the running proxyd, which also records "
                + "the requests.", valueName: "url"))
    var viaProxy: String?
    @Flag(help: "Do not verify server certificates.")
    var insecure = false
    @Option(
        help: ArgumentHelp(
            "Connect to this address instead of resolving the host, as in curl.",
            valueName: "host:port:addr"))
    var resolve: [String] = []
    @Option(
        help: ArgumentHelp(
            "The configuration to use if no daemon is running. (default: the one that proxyd would "
                + "read)", valueName: "file"))
    var config: String?

    /// The value that means the daemon of the data directory.
    private static let ownDaemon = "proxyd"
    /// A higher value would be a mistake.
    private static let concurrencyMax = 1_000
    private static let pacedConcurrency = 64

    /// Checks what argument parsing alone cannot.
    func check() throws {
        guard times > 0 else { throw ValidationError("--times must be at least 1") }
        guard concurrency.map({ (1...ReplayOptions.concurrencyMax).contains($0) }) ?? true else {
            throw ValidationError("--concurrency must be from 1 to \(ReplayOptions.concurrencyMax)")
        }
        guard (0...86_400_000).contains(delayMs), (0...86_400_000).contains(jitterMs) else {
            throw ValidationError("--delay-ms and --jitter-ms must be from 0 to a day")
        }
        guard !exact || (settings.isEmpty && removals.isEmpty) else {
            throw ValidationError("--exact cannot be combined with edits")
        }
        guard pacing == nil || times == 1 else {
            throw ValidationError("--pacing requires --times 1")
        }
        _ = try edits()
        _ = try version()
        _ = try route()
    }

    func plan() throws -> ReplayPlan {
        var plan = ReplayPlan()
        plan.fidelity = exact ? .bytes : .semantic
        plan.version = try version()
        plan.edits = try edits()
        plan.roundCount = times
        plan.concurrency = inFlightCountMax
        plan.delay = .milliseconds(delayMs)
        plan.jitter = .milliseconds(jitterMs)
        plan.pacing = pacing == nil ? .none : .original
        plan.sendsTruncatedBodies = truncated
        plan.stopsOnMismatch = stopOnMismatch
        return plan
    }

    private func version() throws -> ReplayVersion {
        guard let httpVersion else { return .recorded }
        guard let version = ReplayVersion(rawValue: httpVersion), version != .recorded else {
            throw ValidationError("--http-version takes 1.1 or 2, not \"\(httpVersion)\"")
        }
        return version
    }

    /// Configures a session with as many connections as requested.
    func sessionConfiguration(_ directory: DataDirectory) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(headers: HeaderFields())
        configuration.maximumConnectionsPerHost = inFlightCountMax
        configuration.maximumStreamsPerHost = inFlightCountMax
        configuration.cookieStorage = nil
        try route().apply(to: &configuration, directory)
        return configuration
    }

    private func route() throws -> ServerRoute {
        var route = ServerRoute()
        route.isVerified = !insecure
        route.configurationFile = config
        route.resolutions = try resolve.map { text in
            guard let resolution = HostResolution(text) else {
                throw ValidationError("--resolve takes HOST:PORT:ADDRESS, not \"\(text)\"")
            }
            return resolution
        }
        if let viaProxy {
            guard resolve.isEmpty else {
                throw ValidationError(
                    "--resolve cannot be used with --via-proxy: the proxy resolves names itself")
            }
            route.way = viaProxy == ReplayOptions.ownDaemon ? .daemon : .proxy(try proxy(viaProxy))
        }
        return route
    }

    private func proxy(_ text: String) throws -> ProxyServer {
        do throws(ProxySettingsError) {
            return try ProxyServer(text)
        } catch {
            throw ValidationError("--via-proxy: \(error)")
        }
    }

    private var inFlightCountMax: Int {
        concurrency ?? (pacing == nil ? 1 : ReplayOptions.pacedConcurrency)
    }

    private func edits() throws -> [ReplayEdit] {
        do throws(ReplayRefusal) {
            var edits: [ReplayEdit] = []
            for text in settings { edits.append(try ReplayEdit(setting: text)) }
            for text in removals { edits.append(try ReplayEdit(removing: text)) }
            return edits
        } catch {
            throw ValidationError(error.message)
        }
    }
}
