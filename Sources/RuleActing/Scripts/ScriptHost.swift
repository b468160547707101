internal import ProxydCivilTime
internal import Dispatch
internal import ProxydConfinement
internal import ProxydEventLoops
internal import ProxydRules
internal import ProxydSystem
internal import Synchronization

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
    private let surroundings: ScriptSurroundings
    private let threads: DispatchGroup
    private let state: Mutex<State>
    /// Rung once for each waiting question, and once more when the host is stopping.
    let bell: ScriptBell?

    init(
        _ script: RuleScript, in folder: String, _ surroundings: ScriptSurroundings,
        threads: DispatchGroup
    ) {
        name = script.name
        program = script.program
        self.folder = folder
        self.surroundings = surroundings
        self.threads = threads
        state = Mutex(State(timeoutMilliseconds: script.timeoutMilliseconds))
        bell = ScriptBell()
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
            guard let bell else { return "the system has no file descriptors for it" }
            guard state.jobs.count < ScriptHost.jobCountMax,
                state.bodyByteCount + question.bodyByteCount <= ScriptHost.bodyByteCountMax
            else { return "too many messages are waiting for it" }
            let milliseconds =
                question.point.call.timeoutMilliseconds ?? state.timeoutMilliseconds
            let deadline =
                EventLoop.monotonicNow()
                &+ Nanoseconds.clamping(milliseconds: Int64(milliseconds))
            let job = ScriptJob(
                question: question, deadline: deadline, timeoutMilliseconds: milliseconds,
                done: done)
            state.jobs.append(job)
            state.bodyByteCount += question.bodyByteCount
            bell.ring()
            guard startWorker(&state) else {
                state.jobs.removeLast()
                state.bodyByteCount -= question.bodyByteCount
                bell.answer()
                return "the system cannot start a thread"
            }
            return nil
        }
        if let refusal { done(.failed(refusal)) }
    }

    /// Starts another program if all are busy and more are allowed; returns false if none is
    /// running.
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
            bell?.answer()
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
                bell?.answer()
            }
            return (late, state.jobs.map(\.deadline).min())
        }
        for job in late { job.timeOut(isAsked: false) }
        return next
    }

    // MARK: Ending

    /// Whether its programs must end.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Tells its programs to end soon. Waiting questions fail.
    func stop() {
        let jobs = state.withLock { state in
            state.isStopping = true
            // This ring is never consumed: there will be no more questions.
            bell?.ring()
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job.done(.failed("it is being stopped")) }
    }

    // MARK: Programs

    /// Starts a program.
    func start() throws -> ScriptChild {
        let scratch = try ScratchFolder.make(for: name, in: surroundings.dataDirectory)
        let command = ConfinedCommand(
            program.command, in: folder, scratch: scratch, readable: program.readable,
            hidden: hidden,
            confinement: surroundings.isConfined
                ? .confined(usesNetwork: program.usesNetwork) : .none,
            limits: surroundings.isConfined ? limits : nil)
        return try ScriptChild(command, by: surroundings.launcher)
    }

    /// The paths that its programs may not read.
    var hidden: [String] { [surroundings.dataDirectory] + surroundings.secrets() }

    private var limits: ConfinedCommand.Limits {
        ConfinedCommand.Limits(
            memoryByteCount: UInt64(program.memoryMebibyteCount) << 20,
            processCount: program.processCount)
    }

    /// Writes a line to the log, unless there were too many.
    func log(_ text: String) {
        let verdict = state.withLock { $0.logBudget.spend(now: EventLoop.monotonicNow()) }
        switch verdict {
        case .write: surroundings.log(name, text)
        case .writeLast:
            surroundings.log(name, text)
            surroundings.log(name, "further output is dropped for a minute")
        case .leaveOut: break
        }
    }
}
