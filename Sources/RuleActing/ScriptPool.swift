internal import ProxydCivilTime
internal import ProxydConfinement
internal import ProxydEventLoops
internal import ProxydRules
internal import ProxydSystem
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The scripts that rules may run, each with its programs. Safe on any thread.
final class ScriptPool: Sendable {
    private let environment: ScriptEnvironment?
    private let hosts = Mutex<[String: ScriptHost]>([:])
    /// Contains every thread that runs a program.
    private let threads = DispatchGroup()

    /// - Parameter environment: The environment of scripts; nil if scripts are not run.
    init(_ environment: ScriptEnvironment?) { self.environment = environment }

    /// Replaces the scripts. Unchanged programs continue to run; the others are ended.
    /// - Parameter folder: The absolute path of the folder that contains the rules file.
    func use(_ scripts: [RuleScript], in folder: String) {
        guard let environment else { return }
        let left = hosts.withLock { hosts in
            var next: [String: ScriptHost] = [:]
            for script in scripts {
                let former = hosts[script.name]
                let isSame = former?.program == script.program && former?.folder == folder
                if isSame, let former {
                    former.timeoutMilliseconds = script.timeoutMilliseconds
                    next[script.name] = former
                    hosts[script.name] = nil
                } else {
                    next[script.name] = ScriptHost(
                        script, in: folder, environment, threads: threads)
                }
            }
            defer { hosts = next }
            return Array(hosts.values)
        }
        for host in left { host.stop() }
    }

    /// Asks a script about a message.
    /// - Parameter done: Called with the result, on the loop.
    func ask(
        _ question: ScriptQuestion, on loop: EventLoop, _ done: @escaping (ScriptEnd) -> Void
    ) {
        let host = hosts.withLock { $0[question.point.call.script] }
        guard let host else { return done(.failed("the script no longer exists")) }
        let done = LoopBound(done, loop: loop)
        host.ask(question) { end in loop.execute { done.value(end) } }
    }

    /// Ends all programs, and returns once they have ended.
    func stop() {
        let left = hosts.withLock { hosts in
            defer { hosts = [:] }
            return Array(hosts.values)
        }
        for host in left { host.stop() }
        threads.wait()
    }
}

/// One script: its waiting questions, and the threads that each run one of its programs.
///
/// A thread takes a question only when it has none, so that a program gets one question at a time.
final class ScriptHost: Sendable {
    /// The maximum number of waiting questions, and of body bytes in them.
    private static let jobCountMax = 256
    private static let bodyByteCountMax = 64 << 20

    private struct State {
        var jobs: [ScriptJob] = []
        var bodyByteCount = 0
        var threadCount = 0
        var busyCount = 0
        var isStopping = false
        var timeoutMilliseconds: Int
        var logBudget = LogBudget()
    }

    let name: String
    let program: RuleScript.Program
    let folder: String
    private let environment: ScriptEnvironment
    private let threads: DispatchGroup
    private let state: Mutex<State>
    /// Signalled once for each waiting question, and once more when the host is stopping.
    let wakeup: WakeupPipe?

    init(
        _ script: RuleScript, in folder: String, _ environment: ScriptEnvironment,
        threads: DispatchGroup
    ) {
        name = script.name
        program = script.program
        self.folder = folder
        self.environment = environment
        self.threads = threads
        state = Mutex(State(timeoutMilliseconds: script.timeoutMilliseconds))
        wakeup = WakeupPipe()
    }

    var timeoutMilliseconds: Int {
        get { state.withLock { $0.timeoutMilliseconds } }
        set { state.withLock { $0.timeoutMilliseconds = newValue } }
    }

    // MARK: Questions

    /// Queues a question for the next free program.
    func ask(_ question: ScriptQuestion, _ done: @escaping @Sendable (ScriptEnd) -> Void) {
        let refusal: String? = state.withLock { state in
            guard !state.isStopping else { return "it is being stopped" }
            guard let wakeup else { return "the system has no file descriptors for it" }
            guard state.jobs.count < ScriptHost.jobCountMax,
                state.bodyByteCount + question.bodyByteCount <= ScriptHost.bodyByteCountMax
            else { return "too many messages are waiting for it" }
            let milliseconds = question.point.call.timeoutMilliseconds ?? state.timeoutMilliseconds
            let deadline =
                EventLoop.monotonicNow()
                &+ Nanoseconds.clamping(milliseconds: Int64(milliseconds))
            let job = ScriptJob(
                question: question, deadline: deadline, timeoutMilliseconds: milliseconds,
                done: done)
            state.jobs.append(job)
            state.bodyByteCount += question.bodyByteCount
            wakeup.signal()
            guard startWorker(&state) else {
                state.jobs.removeLast()
                state.bodyByteCount -= question.bodyByteCount
                wakeup.consume()
                return "the system cannot start a thread"
            }
            return nil
        }
        if let refusal { done(.failed(refusal)) }
    }

    /// Starts another program if all are busy and more are allowed; false if none is running.
    private func startWorker(_ state: inout State) -> Bool {
        let idleCount = state.threadCount - state.busyCount
        guard state.jobs.count > idleCount, state.threadCount < program.workerCount else {
            return true
        }
        threads.enter()
        let isStarted = startDetachedThread(stackByteCount: 1 << 20) { [self] in
            ScriptWorker(self).run()
            threads.leave()
        }
        if isStarted { state.threadCount += 1 } else { threads.leave() }
        return state.threadCount > 0
    }

    /// Removes and returns the next question for an idle thread; nil if there is none.
    func take() -> ScriptJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            let job = state.jobs.removeFirst()
            state.bodyByteCount -= job.question.bodyByteCount
            state.busyCount += 1
            wakeup?.consume()
            return job
        }
    }

    /// A thread has finished its question.
    func finished() { state.withLock { $0.busyCount -= 1 } }

    /// Times out questions that have waited too long.
    /// - Returns: The next deadline, in nanoseconds of the monotonic clock.
    func expire(now: Int64) -> Int64? {
        let (late, next) = state.withLock { state in
            let late = state.jobs.filter { $0.deadline <= now }
            guard !late.isEmpty else { return (late, state.jobs.map(\.deadline).min()) }
            state.jobs.removeAll { $0.deadline <= now }
            for job in late {
                state.bodyByteCount -= job.question.bodyByteCount
                wakeup?.consume()
            }
            return (late, state.jobs.map(\.deadline).min())
        }
        for job in late { job.timeOut(isAsked: false) }
        return next
    }

    // MARK: Ending

    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Tells its programs to end soon. Waiting questions fail.
    func stop() {
        let jobs = state.withLock { state in
            state.isStopping = true
            // This signal is never consumed: there will be no more questions.
            wakeup?.signal()
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job.done(.failed("it is being stopped")) }
    }

    // MARK: Programs

    func start() throws -> ScriptChild {
        let scratch = try ScratchFolder.make(for: name, in: environment.dataDirectory)
        let command = ConfinedCommand(
            program.command, in: folder, scratch: scratch, readable: program.readable,
            hidden: hidden,
            confinement: environment.isConfined
                ? .confined(usesNetwork: program.usesNetwork) : .none,
            limits: environment.isConfined ? limits : nil)
        return try ScriptChild(command, by: environment.launcher)
    }

    /// The paths that its programs may not read.
    var hidden: [String] { [environment.dataDirectory] + environment.secrets() }

    private var limits: ConfinedCommand.Limits {
        ConfinedCommand.Limits(
            memoryByteCount: UInt64(program.memoryMebibyteCount) << 20,
            processCount: program.processCount)
    }

    /// Writes a line to the log, unless there were too many.
    func log(_ text: String) {
        let verdict = state.withLock { $0.logBudget.spend(now: EventLoop.monotonicNow()) }
        switch verdict {
        case .write: environment.log(name, text)
        case .writeLast:
            environment.log(name, text)
            environment.log(name, "further output is dropped for a minute")
        case .leaveOut: break
        }
    }
}

/// A question that waits for a script.
struct ScriptJob: Sendable {
    let question: ScriptQuestion
    /// When the question times out, in nanoseconds of the monotonic clock.
    let deadline: Int64
    /// The timeout for an answer, in milliseconds.
    let timeoutMilliseconds: Int
    /// Called with the result, once, on any thread.
    let done: @Sendable (ScriptEnd) -> Void

    /// Fails the question because of its timeout.
    func timeOut(isAsked: Bool) {
        let what = isAsked ? "no answer" : "still busy with other messages"
        done(.failed("\(what) after \(timeoutMilliseconds) ms"))
    }
}

/// Wakes threads that wait with poll(2): readable while a signal has not been consumed.
final class WakeupPipe: Sendable {
    private let ends: (heard: Int32, rung: Int32)

    /// Nil if the system has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        self.ends = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
    }

    deinit {
        close(ends.heard)
        close(ends.rung)
    }

    /// The poll(2) entry to wait for.
    var wait: pollfd { pollfd(fd: ends.heard, events: Int16(POLLIN), revents: 0) }

    /// Rings once. The pipe has room for far more rings than there can be questions.
    func signal() {
        var byte: UInt8 = 1
        _ = write(ends.rung, &byte, 1)
    }

    func consume() {
        var byte: UInt8 = 0
        _ = read(ends.heard, &byte, 1)
    }
}

/// Limits the number of lines that a script may write to the log.
struct LogBudget {
    private static let lineCountMax = 100
    private static let windowNs: Int64 = 60_000_000_000

    private var windowStart: Int64?
    private var lineCount = 0

    /// What to do with a line.
    enum Verdict { case write, writeLast, leaveOut }

    /// Counts a line, and returns what to do with it.
    /// - Parameter now: The time in nanoseconds of a monotonic clock.
    mutating func spend(now: Int64) -> Verdict {
        if windowStart.map({ now &- $0 >= LogBudget.windowNs }) ?? true {
            windowStart = now
            lineCount = 0
        }
        guard lineCount < LogBudget.lineCountMax else { return .leaveOut }
        lineCount += 1
        return lineCount == LogBudget.lineCountMax ? .writeLast : .write
    }
}

/// The environment in which scripts run.
public struct ScriptEnvironment: Sendable {
    /// The program that confines itself and becomes a script (`ConfinedCommand.become`).
    let launcher: String
    /// The absolute path of a folder that no script may read: it contains the authority, the store
    /// and the control socket. Each script has its own folder in it, which it may write to.
    let dataDirectory: String
    /// The absolute paths of other files that no script may read; they need not exist. Asked for
    /// before each question.
    let secrets: @Sendable () -> [String]
    let isConfined: Bool
    /// Receives errors and scripts' standard error; the text is not yet safe for printing.
    let log: @Sendable (_ script: String, _ text: String) -> Void

    public init(
        launcher: String, dataDirectory: String, secrets: @escaping @Sendable () -> [String],
        isConfined: Bool, log: @escaping @Sendable (_ script: String, _ text: String) -> Void
    ) {
        self.launcher = launcher
        self.dataDirectory = dataDirectory
        self.secrets = secrets
        self.isConfined = isConfined
        self.log = log
    }
}

/// The folder that a script may write to.
enum ScratchFolder {
    /// Why the folder cannot be created.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates the folder if it does not exist: `scripts/NAME` in the data directory, accessible
    /// only to its owner.
    static func make(for script: String, in dataDirectory: String) throws -> String {
        let all = dataDirectory + "/scripts"
        let own = all + "/" + script
        for path in [all, own] where mkdir(path, 0o700) != 0 {
            let reason = errno
            var status = stat()
            // A symbolic link could point to a folder of someone else.
            guard reason == EEXIST, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
            else { throw Failure(description: "\(path): \(String(cString: strerror(reason)))") }
        }
        return own
    }
}
