internal import Capture
internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydRuleActing
internal import ProxydRules
internal import Glibc
internal import Logging
internal import Synchronization

/// Keeps the rules file in effect: reads it at the start, on request and when it changes. A file
/// with a mistake changes nothing. Temporary changes are applied on top of it.
final class RulesKeeper: Sendable {
    /// The result of the last read.
    struct State: Sendable {
        /// The path of the file, or nil if no location is configured.
        var file: String?
        /// Mistakes in the current file; empty if it is in effect.
        var problems: [String] = []
        /// The text of the file when it last had no mistakes.
        var fileText = ""
        /// The changes that exist only in memory.
        var temporary = TemporaryRules()
        /// The result of applying the changes to the file.
        var inForce = TemporaryRules.Outcome.none
        /// How often rules were put into force.
        fileprivate(set) var changeCount = 0

        /// The file's name for messages.
        fileprivate var name: String { file ?? "rules" }

        /// Applies the file's new text.
        fileprivate mutating func take(
            _ text: String, _ checks: RuleChecks
        ) throws(ConfigurationError) {
            let next = try temporary.laid(over: text, file: name, now: EventLoop.wallNow())
            try checks.run(next.rules, of: name)
            inForce = next
            fileText = text
            problems = []
        }
    }

    let actor: RuleActor
    let secrets: ScriptSecrets
    private let checks: Mutex<RuleChecks>
    private let logger = Logger(label: "proxyd.rules")
    private let state = Mutex(State())
    private let watch = Mutex<FileWatch?>(nil)

    /// Creates a keeper without any active rules.
    init(_ checks: RuleChecks) {
        self.checks = Mutex(checks)
        secrets = checks.scripts.secrets
        actor = RuleActor(scripts: checks.scripts.scriptEnvironment)
    }

    var current: State { state.withLock { $0 } }

    /// Reads the captures of mocks from a store from now on.
    func useCaptures(in directory: DataDirectory) {
        let source = MockSource(directory) { [logger] report in
            logger.notice("rule \"\(report.rule)\": captures to serve: \(report.captureCount)")
            for problem in report.problems { logger.warning("rule \"\(report.rule)\": \(problem)") }
        }
        actor.useCaptures(of: source)
    }

    /// Uses the names of another configuration.
    /// - Throws: what the current rules name and the configuration does not have; the old names
    ///   then stay valid.
    func use(_ names: RouteNames) throws(ConfigurationError) {
        let (rules, file) = state.withLock { ($0.inForce.rules, $0.name) }
        try names.check(rules, of: file)
        checks.withLock { $0.names = names }
    }

    /// Reads a file and puts it into effect, and does so again whenever the file changes.
    /// - Parameter file: It need not exist; nil for no rules.
    /// - Throws: all mistakes in the file. The old rules then stay active.
    func use(_ file: String?) throws(ConfigurationError) {
        let isOther = state.withLock { state in
            defer { state.file = file }
            return state.file != file
        }
        if isOther { follow(file) }
        try reload()
    }

    /// Reads the file again. Temporary changes are kept.
    /// - Parameter rereadsCaptures: Whether the captures of all mocks are read again too, or only
    ///   those of changed rules.
    func reload(rereadsCaptures: Bool = true) throws(ConfigurationError) {
        let checks = checks.withLock { $0 }
        let leftOut = try state.withLock { state throws(ConfigurationError) in
            do throws(ConfigurationError) {
                try state.take(try state.file.map(RulesKeeper.text(of:)) ?? "", checks)
            } catch {
                state.problems = error.problems.map(\.description)
                throw error
            }
            putInForce(&state, rereadsCaptures: rereadsCaptures)
            return state.inForce.leftOut
        }
        for change in leftOut { logger.warning("a temporary change was dropped: \(change)") }
    }

    /// Changes the rules in memory only.
    /// - Throws: `ConfigurationError` for mistakes, `RulesText.Problem` for impossible changes.
    func change(_ change: RuleChange) throws {
        let checks = checks.withLock { $0 }
        try state.withLock { state in
            var temporary = state.temporary
            let next = try temporary.make(
                change, over: state.fileText, file: state.name, now: EventLoop.wallNow())
            try checks.run(next.rules, of: state.name)
            state.temporary = temporary
            state.inForce = next
            putInForce(&state)
        }
    }

    /// Reverts all temporary changes.
    func forgetChanges() throws(ConfigurationError) {
        try state.withLock { state throws(ConfigurationError) in
            state.temporary = TemporaryRules()
            state.inForce = try state.temporary.laid(
                over: state.fileText, file: state.name, now: EventLoop.wallNow())
            putInForce(&state)
        }
    }

    private func putInForce(_ state: inout State, rereadsCaptures: Bool = false) {
        state.changeCount += 1
        let rules = state.inForce.rules
        let countBefore = actor.counts.count
        secrets.use(rules: rules.hasSecrets ? state.file : nil)
        actor.use(
            rules, from: state.file.map(ScriptRules.folder) ?? "/",
            rereadsCaptures: rereadsCaptures)
        if !rules.rules.isEmpty || countBefore > 0 {
            logger.notice("rules in force: \(rules.rules.count)")
        }
    }

    /// The rules of a file; none if it does not exist.
    static func read(_ file: String, _ checks: RuleChecks) throws(ConfigurationError) -> RuleSet {
        let text = try text(of: file)
        let rules = try RulesFile.read(text, file: file, now: EventLoop.wallNow())
        try checks.run(rules, of: file)
        return rules
    }

    /// The text of a file, or empty if it does not exist.
    private static func text(of file: String) throws(ConfigurationError) -> String {
        guard access(file, F_OK) == 0 || errno != ENOENT else { return "" }
        do {
            try RulesFileAccess.check(file)
            return try ConfigurationFile.contents(of: file)
        } catch {
            throw ConfigurationError(error, of: file)
        }
    }

    private func follow(_ file: String?) {
        let next = file.flatMap { file in
            FileWatch(file) { [weak self] in self?.fileChanged() }
        }
        watch.withLock { $0 = next }
    }

    /// A file that was already reloaded on request is not reloaded again, because that would
    /// restart mocks at their first capture.
    private func fileChanged() {
        let isKnown = state.withLock { state in
            guard let file = state.file, state.problems.isEmpty else { return false }
            return (try? RulesKeeper.text(of: file)) == state.fileText
        }
        guard !isKnown else { return }
        tell { () throws(ConfigurationError) in try reload(rereadsCaptures: false) }
    }

    /// Like `use`, but logs mistakes.
    func change(to file: String?) { tell { () throws(ConfigurationError) in try use(file) } }

    private func tell(_ read: () throws(ConfigurationError) -> Void) {
        do {
            try read()
        } catch {
            for problem in error.problems { logger.error("\(problem.description)") }
            logger.error("the rules were not reloaded; the old ones stay in force")
        }
    }
}

/// What rules need apart from their file: scripts that may be run, names that are configured.
struct RuleChecks: Sendable {
    let scripts: ScriptRules
    var names: RouteNames

    /// - Throws: the mistakes in the environment's proxy variables, if they are used.
    init(
        _ configuration: Configuration, dataDirectory: String, environment: [String: String]
    ) throws(ConfigurationError) {
        scripts = ScriptRules(configuration, dataDirectory: dataDirectory, environment: environment)
        names = try RouteNames(configuration, environment: environment)
    }

    /// Rejects rules that would not do what they say.
    /// - Throws: each mistake with its line.
    func run(_ rules: RuleSet, of file: String) throws(ConfigurationError) {
        var problems: [ConfigurationProblem] = []
        do throws(ConfigurationError) {
            try scripts.check(rules, of: file)
        } catch {
            problems += error.problems
        }
        do throws(ConfigurationError) {
            try names.check(rules, of: file)
        } catch {
            problems += error.problems
        }
        if !problems.isEmpty { throw ConfigurationError(problems: problems) }
    }
}

/// The upstream proxies and client certificates that rules may name.
struct RouteNames: Sendable {
    private let upstreams: [String]
    private let certificates: [String]

    /// - Throws: the mistakes in the environment's proxy variables, if they are used.
    init(_ configuration: Configuration, environment: [String: String]) throws(ConfigurationError) {
        upstreams = try configuration.allUpstreams(environment).map(\.name)
        certificates = configuration.clientCertificates.map(\.name)
    }

    /// Rejects rules that name what the configuration does not have.
    /// - Throws: each mistake with its line.
    func check(_ rules: RuleSet, of file: String) throws(ConfigurationError) {
        let problems =
            problems(rules.namedUpstreams, among: upstreams, "upstream", file)
            + problems(rules.namedCertificates, among: certificates, "client_certificate", file)
        if !problems.isEmpty { throw ConfigurationError(problems: problems) }
    }

    private func problems(
        _ references: [RuleReference], among names: [String], _ table: String, _ file: String
    ) -> [ConfigurationProblem] {
        references.filter { !names.contains($0.name) }.map { reference in
            let hint = NearMiss.hint(for: reference.name, among: names)
            return ConfigurationProblem(
                location: "\(file):\(reference.line)",
                message: "the configuration has no [[\(table)]] named \"\(reference.name)\"\(hint)")
        }
    }
}

/// Checks who may write the rules file, because rules can read files and change traffic.
enum RulesFileAccess {
    /// Throws if users other than the daemon's and root could have written the file.
    static func check(_ file: String) throws(ConfigurationValueError) {
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw ConfigurationValueError("cannot be read: \(String(cString: strerror(errno)))")
        }
        // Opening another type of file, such as a pipe, could block forever.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationValueError("is not a regular file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ConfigurationValueError(
                "belongs to a user other than root and the daemon's, who could change it")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw ConfigurationValueError(
                "is writable by others, who could change it: use chmod go-w")
        }
    }
}

extension RulesStatus {
    init(_ keeper: RulesKeeper) {
        let state = keeper.current
        let inForce = state.inForce
        self.init(
            file: state.file, problems: state.problems,
            rules: keeper.actor.counts.map {
                Rule($0, isTemporary: inForce.names.contains($0.name))
            })
        let isFile = state.problems.isEmpty && state.temporary.isEmpty
        text = isFile ? nil : inForce.text
        removed = inForce.removed
        leftOut = inForce.leftOut
    }
}

extension RulesStatus.Rule {
    fileprivate init(_ count: RuleCount, isTemporary: Bool) {
        self.init(name: count.name, isTemporary: isTemporary)
        hitCount = count.hitCount
        changedCount = count.changedCount
        failedCount = count.failedCount
        lastHitNs = count.lastHitNs
        mocks = count.mocks.map(RulesStatus.Mock.init)
    }
}

extension RulesStatus.Mock {
    fileprivate init(_ report: MockReport) {
        self.init(
            captureCount: report.captureCount, servedCount: report.servedCount,
            unmatchedCount: report.unmatchedCount, neverServedCount: report.neverServed.count,
            problems: report.problems)
        isRead = report.isRead
        neverServed = Array(report.neverServed.prefix(RulesStatus.Mock.namedCountMax))
    }
}

extension MockSource {
    /// Reads the captures of a data directory while its recorder is running.
    init(_ directory: DataDirectory, onRead: @escaping @Sendable (MockReport) -> Void) {
        let store = OpenedStore(directory)
        self.init(
            read: { filter, take in
                let reader = try store.reader()
                try reader.forEachRow(matching: filter, .oldest) { row throws(StoreError) in
                    let exchange = try reader.exchange(
                        row.id, bodyByteCountMax: MockSource.bodyByteCountMax)
                    return exchange.map(take) ?? true
                }
            },
            exchange: { id in
                try store.reader().exchange(
                    ExchangeID(rawValue: id), bodyByteCountMax: MockSource.bodyByteCountMax)
            }, onRead: onRead)
    }
}

/// A store that is opened when it is first read.
private final class OpenedStore: Sendable {
    private let directory: DataDirectory
    private let opened = Mutex<StoreReader?>(nil)

    init(_ directory: DataDirectory) { self.directory = directory }

    func reader() throws(StoreError) -> StoreReader {
        if let reader = opened.withLock({ $0 }) { return reader }
        let reader = try StoreReader(directory: directory)
        opened.withLock { $0 = reader }
        return reader
    }
}
