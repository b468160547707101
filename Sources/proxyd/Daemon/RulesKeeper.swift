internal import Glibc
internal import Logging
internal import ProxydConfigurationText
internal import ProxydEventLoops
internal import ProxydRuleActing
internal import ProxydRules
internal import Synchronization

/// Keeps in force what the file of rules says: reads it at start, when told to, and when it
/// changes. A file with a mistake changes nothing.
final class RulesKeeper: Sendable {
    /// What was read last.
    struct State: Sendable {
        /// Nil where there is no place to look.
        var file: String?
        /// What is wrong with the file as it is now; empty where it is in force.
        var problems: [String] = []
    }

    let actor = RuleActor()
    private let logger = Logger(label: "proxyd.rules")
    private let state = Mutex(State())
    private let watch = Mutex<FileWatch?>(nil)

    /// What was read last.
    var current: State { state.withLock { $0 } }

    /// Reads a file, puts it in force, and again whenever it changes.
    /// - Parameter file: It need not exist; nil for no rules.
    /// - Throws: everything that is wrong with it. The old rules stay then.
    func use(_ file: String?) throws(ConfigurationError) {
        let isOther = state.withLock { state in
            defer { state.file = file }
            return state.file != file
        }
        if isOther { follow(file) }
        try reload()
    }

    /// Reads the file again.
    func reload() throws(ConfigurationError) {
        let file = state.withLock { $0.file }
        do {
            let rules = try file.map(RulesKeeper.read) ?? .none
            let countBefore = actor.counts.count
            actor.use(rules)
            state.withLock { $0.problems = [] }
            if !rules.rules.isEmpty || countBefore > 0 {
                logger.notice("\(rules.rules.count) rules in force")
            }
        } catch {
            state.withLock { $0.problems = error.problems.map(\.description) }
            throw error
        }
    }

    /// The rules of a file; none where it does not exist.
    static func read(_ file: String) throws(ConfigurationError) -> RuleSet {
        guard access(file, F_OK) == 0 || errno != ENOENT else { return .none }
        let text: String
        do {
            try RulesFileAccess.check(file)
            text = try ConfigurationFile.contents(of: file)
        } catch {
            throw ConfigurationError(error, of: file)
        }
        return try RulesFile.read(text, file: file, now: EventLoop.wallNow())
    }

    private func follow(_ file: String?) {
        let next = file.flatMap { file in
            FileWatch(file) { [weak self] in self?.fileChanged() }
        }
        watch.withLock { $0 = next }
    }

    private func fileChanged() { tell { () throws(ConfigurationError) in try reload() } }

    /// Like `use`, but what is wrong goes to the log.
    func change(to file: String?) { tell { () throws(ConfigurationError) in try use(file) } }

    private func tell(_ read: () throws(ConfigurationError) -> Void) {
        do {
            try read()
        } catch {
            for problem in error.problems { logger.error("\(problem.description)") }
            logger.error("the rules were not read again; the old ones stay in force")
        }
    }
}
