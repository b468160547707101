internal import ArgumentParser
internal import Capture
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydRules
internal import ProxydSystem

/// `proxyctl serve`: answers requests with captured responses.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answer requests with captures, in the place of servers.",
        discussion: """
            A server of its own, on the store or on a HAR or JSON lines file alone. It is an HTTP \
            proxy, and a server, too: what names no other server is answered by the captures of \
            any. CONNECT is answered where the data directory has a certificate authority. A \
            request that no capture answers gets 502, with the nearest capture and what differs. \
            Ends on SIGINT or SIGTERM with a report; with --strict the exit status is 1 where a \
            request was unmatched.

            With --daemon the running daemon serves what is in its store, by a temporary rule in \
            front of all others: to requests for the hosts of these captures, unless --when says \
            which. Each request is told, and what it got; the end takes the rule back.
            """)

    @OptionGroup var global: GlobalOptions
    @Option(
        help: ArgumentHelp(
            "Which captures: a filter, or a file that ends in .har, .json or .jsonl.",
            valueName: "filter|file"))
    var from: String?
    @Option(
        help: ArgumentHelp(
            "Where to listen; port 0 is any. (default: 127.0.0.1:0)", valueName: "address:port"))
    var listen: String?
    @Flag(help: "Have the running daemon serve.")
    var daemon = false
    @Option(
        help: ArgumentHelp(
            "With --daemon: which requests; those for the captures' hosts without it.",
            valueName: "filter"))
    var when: String?
    @Option(help: ArgumentHelp("A field that counts, header:NAME; repeatable.", valueName: "what"))
    var match: [String] = []
    @Option(
        help: ArgumentHelp(
            "What does not count: query:NAME, form:NAME, json:PATH; repeatable.",
            valueName: "what"))
    var ignore: [String] = []
    @Option(
        help: ArgumentHelp(
            "Which of several captures of a request: then-last, cycle, once or last.",
            valueName: "order"))
    var order = MockOrder.thenLast.rawValue
    @Option(
        help: ArgumentHelp(
            "What a request gets that no capture answers: a status, close or forward.",
            valueName: "what"))
    var unmatched = "502"
    @Flag(help: "Moves dates, so that responses are as fresh as they were.")
    var refresh = false
    @Option(help: ArgumentHelp("How fast: recorded or none.", valueName: "pace"))
    var pace = RuleMock.Pace.atOnce.rawValue
    @Flag(help: "Exit status 1 where a request was unmatched.")
    var strict = false
    @Flag(help: "Has the running daemon read the captures of its mocks anew.")
    var reset = false

    func validate() throws {
        guard (from != nil) != reset else { throw ValidationError("give --from, or --reset") }
        guard daemon else {
            guard when == nil else { throw ValidationError("--when goes with --daemon") }
            return
        }
        guard listen == nil else {
            throw ValidationError("--listen: the daemon listens where it does")
        }
        if let from, ServeSource.isFile(from) {
            throw ValidationError("the daemon serves its store: proxyctl import \(from) first")
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
            throw CommandFailure("no daemon runs: there is nothing to begin anew")
        }
        guard inForce.problems.isEmpty else {
            throw RulesFailure.mistakes(inForce.problems).told()
        }
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

    /// The text of the rule.
    private func rule(filter: String, when: String?) -> String {
        let status = Int(unmatched).map(String.init) ?? unmatched.tomlText
        let table = """
            { mock = \(filter.tomlText), match = \(ServeCommand.array(match)), \
            ignore = \(ServeCommand.array(ignore)), order = \(order.tomlText), \
            unmatched = \(status), refresh = \(refresh), pace = \(pace.tomlText) }
            """
        return RuleShortForm.rule(
            ServeRun.ruleName, when: when, actions: [(.request, table)])
    }

    private static func array(_ texts: [String]) -> String {
        "[\(texts.map(\.tomlText).joined(separator: ", "))]"
    }
}
