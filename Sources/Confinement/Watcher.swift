internal import Glibc
internal import ProxydCLinuxConfinement

/// The process that watches over a confined program: it is that program's parent, and the child of
/// the process that wants it.
///
/// The group of processes that it was started in becomes the program's, and it leaves it, out of
/// reach of the program's signals. It ends the group when its own parent or the program has ended,
/// or when the group takes more than it may; then it ends as the program did.
struct Watcher {
    /// What a process is after it has become two.
    enum Side {
        /// The program: it may go on.
        case program(parts: Parts)
        /// The watcher.
        case watcher(Watcher)
    }

    /// The process that watches, and its parent.
    struct Parts {
        let watcher: pid_t
        let parent: pid_t
    }

    /// How often it looks at the group, in milliseconds.
    private static let tickMilliseconds: Int32 = 50
    /// How many descendants it waits for at its end, or how many milliseconds.
    private static let reapTickCount = 2_000
    /// How long it waits for room for a line, in milliseconds.
    private static let sayMilliseconds: Int32 = 1_000

    private let parts: Parts
    private let program: pid_t
    /// Descriptors that can be read when these have ended, or -1.
    private let parentEnd: Int32, programEnd: Int32
    private let limits: ConfinedCommand.Limits?
    private let group: WatchedGroup

    // MARK: Becoming two

    /// Becomes two processes; the program returns once it is watched.
    static func split(_ limits: ConfinedCommand.Limits?) throws -> Side {
        let parts = Parts(watcher: getpid(), parent: getppid())
        let parentEnd = clinuxconfinement_open_process(parts.parent)
        // Whoever has started this reads its output: without readers, the parent was another one.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        poll(&output, 1, 0)
        guard output.revents & Int16(POLLERR) == 0, getppid() == parts.parent else {
            throw ConfinementFailure("nothing reads its output")
        }
        // The group's number stays this process's as long as there is either.
        setpgid(0, 0)
        var start: [Int32] = [-1, -1]
        guard clinuxconfinement_pipe(&start) == 0 else {
            throw ConfinementFailure(errnoOf: "a pipe")
        }
        let program = clinuxconfinement_fork()
        guard program >= 0 else { throw ConfinementFailure(errnoOf: "fork") }
        guard program > 0 else {
            close(start[1])
            _ = clinuxconfinement_end_with_parent(SIGKILL)
            var byte: UInt8 = 0
            guard read(start[0], &byte, 1) == 1, getppid() == parts.watcher else {
                throw ConfinementFailure("nothing watches over it")
            }
            return .program(parts: parts)
        }
        close(start[0])
        let watcher = Watcher(parts: parts, parentEnd: parentEnd, program: program, limits)
        try watcher.leave()
        _ = write(start[1], [0], 1)
        close(start[1])
        return .watcher(watcher)
    }

    private init(
        parts: Parts, parentEnd: Int32, program: pid_t, _ limits: ConfinedCommand.Limits?
    ) {
        self.parts = parts
        self.parentEnd = parentEnd
        self.program = program
        self.limits = limits
        programEnd = clinuxconfinement_open_process(program)
        group = WatchedGroup(of: parts.watcher)
    }

    /// Leaves the group, and everything that is the program's alone.
    private func leave() throws {
        var signals = sigset_t()
        sigfillset(&signals)
        sigprocmask(SIG_SETMASK, &signals, nil)
        clinuxconfinement_watch_over_descendants()
        if limits?.processCount != nil { _ = clinuxconfinement_use_processors(1) }
        guard clinuxconfinement_leave_group() == 0 else {
            throw ConfinementFailure(errnoOf: "setpgid")
        }
        // When the program closes these, the other side sees that.
        close(STDIN_FILENO)
        close(STDOUT_FILENO)
    }

    // MARK: Watching

    /// Watches until the program has ended, and ends as it did.
    func watch() -> Never {
        var isEnded = false
        var wasOver = false
        while true {
            var watched = [parentEnd, programEnd].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            poll(&watched, nfds_t(watched.count), Watcher.tickMilliseconds)
            if watched[0].revents != 0 || getppid() != parts.parent { endGroup() }
            reap()
            guard !isEnded, let limits, let excess = group.excess(over: limits) else {
                wasOver = false
                continue
            }
            guard excess.isCertain || wasOver else {
                wasOver = true
                continue
            }
            isEnded = true
            endGroup()
            say("it had \(excess.description), and was ended")
        }
    }

    /// Takes the status of descendants that have ended; after the program, ends itself.
    private func reap() {
        var status: Int32 = 0
        while true {
            let ended = waitpid(-1, &status, WNOHANG)
            guard ended > 0 else { return }
            guard ended == program else { continue }
            endGroup()
            reapOthers()
            let signal = status & 0x7F
            if signal != 0 { clinuxconfinement_end_by(signal) }
            _exit((status >> 8) & 0xFF)
        }
    }

    /// Waits for descendants that were just killed: whoever takes orphans over might not. That may
    /// take long, for example where one waits for a disk that is away. Those that have left the
    /// group, which unconfined ones may, go on.
    private func reapOthers() {
        for _ in 0..<Watcher.reapTickCount {
            let ended = waitpid(-1, nil, WNOHANG)
            guard ended > 0 || (ended == 0 && kill(-parts.watcher, 0) == 0) else { return }
            if ended == 0 { usleep(1_000) }
        }
    }

    /// The group cannot have become another one: its number is this process's.
    private func endGroup() { kill(-parts.watcher, SIGKILL) }

    /// Writes a line for the other side, unless that does not read: the program may have filled the
    /// pipe. The group has ended, so the mode of the pipe, which it shared, matters to no one else.
    private func say(_ text: String) {
        _ = fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) | O_NONBLOCK)
        var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, Watcher.sayMilliseconds)
        let bytes = Array("proxyd: \(text)\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
