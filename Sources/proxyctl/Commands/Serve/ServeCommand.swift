internal import Capture
internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydRuleActing
internal import ProxydRules
internal import ProxydSystem
internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// `proxyctl serve`: answers requests with captured responses.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answer requests with captures instead of asking the servers.",
        discussion: """
            Starts a server on the store, or on a HAR or JSON lines file alone. It is both an HTTP \
            proxy and a server: requests that name no other server are answered by the captures of \
            any server. CONNECT is answered if the data directory has a certificate authority. A \
            request that no capture matches gets 502, with the nearest capture and the \
            differences. SIGINT or SIGTERM ends it with a report; with --strict, the exit status \
            is 1 if a request was unmatched.

            With --daemon, the running daemon answers from its store, through a temporary rule \
            before all others: requests to the hosts of these captures, or those that --when \
            selects. Each request and its answer are printed; the rule is removed at the end.
            """)

    @OptionGroup var global: GlobalOptions
    @Option(
        help: ArgumentHelp(
            "The captures to serve: a filter, or a .har, .json or .jsonl file.",
            valueName: "filter|file"))
    var from: String?
    @Option(
        help: ArgumentHelp(
            "Where to listen; port 0 picks a free port. (default: 127.0.0.1:0)",
            valueName: "address:port"))
    var listen: String?
    @Flag(help: "Serve from the running daemon.")
    var daemon = false
    @Option(
        help: ArgumentHelp(
            "With --daemon: the requests to answer. (default: those to the captures' hosts)",
            valueName: "filter"))
    var when: String?
    @Option(help: ArgumentHelp("Also compare header:NAME; may be repeated.", valueName: "what"))
    var match: [String] = []
    @Option(
        help: ArgumentHelp(
            "Do not compare query:NAME, form:NAME or json:PATH; may be repeated.",
            valueName: "what"))
    var ignore: [String] = []
    @Option(
        help: ArgumentHelp(
            "How to choose among several matching captures: then-last, cycle, once or last.",
            valueName: "order"))
    var order = MockOrder.thenLast.rawValue
    @Option(
        help: ArgumentHelp(
            "How to answer a request that no capture matches: a status, close or forward.",
            valueName: "what"))
    var unmatched = "502"
    @Flag(help: "Shift dates, so that responses are as fresh as when recorded.")
    var refresh = false
    @Option(help: ArgumentHelp("The timing of responses: recorded or none.", valueName: "pace"))
    var pace = RuleMock.Pace.atOnce.rawValue
    @Flag(help: "Exit with status 1 if a request was unmatched.")
    var strict = false
    @Flag(help: "Make the running daemon reload the captures of its mocks.")
    var reset = false

    func validate() throws {
        guard (from != nil) != reset else { throw ValidationError("give --from or --reset") }
        guard daemon else {
            guard when == nil else { throw ValidationError("--when requires --daemon") }
            return
        }
        guard listen == nil else {
            throw ValidationError("--listen cannot be combined with --daemon")
        }
        if let from, ServeSource.isFile(from) {
            throw ValidationError(
                "the daemon serves only its store: run proxyctl import \(from) first")
        }
    }

    func run() throws {
        let directory = try global.dataDirectory()
        guard let from else { return try ServeCommand.reset(directory) }
        let file = ServeSource.isFile(from) ? from : nil
        let rules = try rules(filter: file == nil ? from : "")
        if daemon { return try serveByDaemon(from, directory) }
        let source = try ServeSource(file: file, directory)
        let run = try ServeRun(rules, source, directory, listen: listen ?? "127.0.0.1:0")
        try run.serve(isStrict: strict)
    }

    private func serveByDaemon(_ from: String, _ directory: DataDirectory) throws {
        let run = try ServeByDaemon(directory)
        if let when { _ = try FilterArgument.parse(when) }
        let when = try when ?? run.hosts(of: try FilterArgument.parse(from))
        try run.serve(rule(filter: from, when: when), when: when, isStrict: strict)
    }

    private static func reset(_ directory: DataDirectory) throws {
        guard let inForce = try RulesAccess(directory).reload() else {
            throw CommandFailure("no daemon is running: there is nothing to reset")
        }
        guard inForce.problems.isEmpty else { throw RulesFailure.mistakes(inForce.problems).told() }
    }

    // MARK: Rule

    /// The single rule that serves. An error in it is wrong usage.
    func rules(filter: String) throws -> RuleSet {
        if !filter.isEmpty { _ = try FilterArgument.parse(filter) }
        do throws(ConfigurationError) {
            let text = rule(filter: filter, when: nil)
            return try RulesFile.read(text, file: "serve", now: SystemClock.wallNow())
        } catch {
            let messages = error.problems.map { "--\($0.message)" }
            for message in messages.dropLast() { Report.warn(message) }
            throw CommandFailure(messages.last, code: .usage)
        }
    }

    private func rule(filter: String, when: String?) -> String {
        let status = Int(unmatched).map(String.init) ?? unmatched.tomlText
        let table = """
            { mock = \(filter.tomlText), match = \(ServeCommand.array(match)), \
            ignore = \(ServeCommand.array(ignore)), order = \(order.tomlText), \
            unmatched = \(status), refresh = \(refresh), pace = \(pace.tomlText) }
            """
        return RuleShortForm.rule(ServeRun.ruleName, when: when, actions: [(.request, table)])
    }

    private static func array(_ texts: [String]) -> String {
        "[\(texts.map(\.tomlText).joined(separator: ", "))]"
    }
}

/// The store that is served: the data directory's, or a file's, deleted together with this.
final class ServeSource: Sendable {
    let reader: StoreReader
    /// The temporary directory, or nil if there is none.
    private let ownPath: String?

    /// Whether a text names a file of captures, rather than a filter.
    static func isFile(_ text: String) -> Bool {
        [
            ".har", ".json", ".jsonl", ".mitm", ".flows", ".chlsj", ".saz", ".pcap", ".pcapng",
        ].contains { text.lowercased().hasSuffix($0) }
    }

    /// Opens the store, or imports a file into a temporary one.
    init(file: String?, _ directory: DataDirectory) throws {
        guard let file else {
            ownPath = nil
            reader = try StoreOpener.reader(directory)
            return
        }
        let input = try InputFile(file, Environment.current)
        let own = DataDirectory(path: try ServeSource.makeDirectory())
        ownPath = own.path
        do {
            var run = ImportRun(destination: try ImportDestination.open(own), fileName: file)
            try Interruption.watched { try run.read(input, isInterrupted: $0) }
            reader = try StoreOpener.reader(own)
        } catch {
            try? FileManager.default.removeItem(atPath: own.path)
            throw error
        }
    }

    deinit { if let ownPath { try? FileManager.default.removeItem(atPath: ownPath) } }

    /// Creates a directory that only its owner can read.
    static func makeDirectory(prefix: String = "proxyctl-serve") throws -> String {
        var folder = FileManager.default.temporaryDirectory.path
        if folder.hasSuffix("/") { folder.removeLast() }
        var path = Array("\(folder)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw CommandFailure("no temporary directory: \(String(cString: strerror(errno)))")
        }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The captures to serve.
    /// - Parameters:
    ///   - isOwn: Whether a URL names the server that serves them.
    ///   - onRead: Called with the result of reading them.
    func captures(
        isOwn: @escaping @Sendable (RawURL) -> Bool,
        onRead: @escaping @Sendable (MockReport) -> Void
    ) -> MockSource {
        let reader = reader
        return MockSource(
            read: { filter, take in
                try reader.forEachRow(matching: filter, .oldest) { row throws(StoreError) in
                    let exchange = try reader.exchange(
                        row.id, bodyByteCountMax: MockSource.bodyByteCountMax)
                    return exchange.map(take) ?? true
                }
            },
            exchange: {
                try reader.exchange(
                    ExchangeID(rawValue: $0), bodyByteCountMax: MockSource.bodyByteCountMax)
            }, isOwn: isOwn, onRead: onRead)
    }
}

/// The report when serving ends.
enum ServeReport {
    /// The maximum number of exchange numbers listed; more would not help.
    private static let namedCountMax = 20

    static func lines(_ report: MockReport) -> [String] {
        lines(
            served: report.servedCount, unmatched: report.unmatchedCount,
            never: report.neverServed, neverCount: report.neverServed.count)
    }

    static func lines(_ mock: RulesStatus.Mock) -> [String] {
        lines(
            served: mock.servedCount, unmatched: mock.unmatchedCount,
            never: mock.neverServed ?? [], neverCount: mock.neverServedCount)
    }

    private static func lines(
        served: Int, unmatched: Int, never: [Int64], neverCount: Int
    ) -> [String] {
        var lines = [
            "served \(Quantity.count(served, "request"))",
            "unmatched \(Quantity.count(unmatched, "request"))",
        ]
        guard neverCount > 0 else { return lines }
        let named = never.prefix(namedCountMax).map(String.init)
        let all = (named + (neverCount > named.count ? ["…"] : [])).joined(separator: ", ")
        lines.append("\(Quantity.count(neverCount, "capture")) never requested: \(all)")
        return lines
    }
}
