internal import ProxydCLinuxConfinement
internal import Glibc

/// The process that watches over a confined program: the program's parent, and the child of the
/// process that started it.
///
/// Its process group becomes the program's, and it leaves the group, out of reach of the program's
/// signals. It kills the group when its own parent or the program has ended, or when the group
/// exceeds a limit; then it exits as the program did.
struct Watcher {
    /// What a process is after it has become two.
    enum Side {
        /// The program, which may continue.
        case program(parts: Parts)
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
        // If no one reads the output, the process that started this one has ended.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        poll(&output, 1, 0)
        guard output.revents & Int16(POLLERR) == 0, getppid() == parts.parent else {
            throw ConfinementFailure("nothing reads its output")
        }
        // The group keeps this process's number as long as either exists.
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

    /// Leaves the group, and gives up what belongs to the program alone.
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

    /// Waits for descendants that were just killed, because the process that adopts orphans might
    /// not. That may take long, for example if one waits for an unavailable disk. Descendants that
    /// have left the group, as unconfined ones may, keep running.
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

/// A program and its descendants, with what they use according to /proc (proc(5)).
struct WatchedGroup {
    /// Why a group must end: it exceeds a limit, or cannot be examined.
    struct Excess: Equatable {
        let description: String
        /// Whether a single look proves it. For memory it does not: memory counts twice between
        /// vfork(2) and execve(2), and threads that are ending have none.
        let isCertain: Bool

        static func certain(_ description: String) -> Excess {
            Excess(description: description, isCertain: true)
        }

        static func uncertain(_ description: String) -> Excess {
            Excess(description: description, isCertain: false)
        }
    }

    /// The memory of a process, in KiB. Its lines are the same for all its threads.
    private struct Memory {
        /// A thread that has not ended; the main thread may have.
        let task: pid_t
        let rough: UInt64
        let tables: UInt64
    }

    /// The parent of the program, and of descendants whose parents have ended.
    private let watcher: pid_t

    init(of watcher: pid_t) { self.watcher = watcher }

    func excess(over limits: ConfinedCommand.Limits) -> Excess? {
        let most = limits.processCount ?? .max
        var processes: [[pid_t]] = []
        var taskCount = 0
        var left = WatchedGroup.children(of: watcher, watcher, most)
        while let process = left.popLast() {
            let threadCount = WatchedGroup.threadCount(of: process)
            // Its file cannot be read by its user, and /proc hides other users' processes.
            if threadCount == 0, kill(process, 0) == 0 {
                return .certain("a process that cannot be examined")
            }
            taskCount += threadCount
            let tasks = threadCount > 1 ? WatchedGroup.tasks(of: process) : [process]
            for task in tasks { left += WatchedGroup.children(of: process, task, most) }
            // This must be quick: others may be started meanwhile, as fast as it is possible.
            guard taskCount + left.count <= most else {
                return .certain("more than \(most) processes and threads")
            }
            processes.append(tasks)
        }
        let memories = processes.map(WatchedGroup.memory)
        let isUnknown = zip(processes, memories).contains { $0.count > 1 && $1 == nil }
        if WatchedGroup.isOver(limits.memoryByteCount >> 10, memories.compactMap(\.self)) {
            return .uncertain("more than \(limits.memoryByteCount >> 20) MiB of memory")
        }
        return isUnknown ? .uncertain("a process that cannot be examined") : nil
    }

    /// Whether processes take more memory than this together, in KiB; shared memory counts once.
    private static func isOver(_ most: UInt64, _ memories: [Memory]) -> Bool {
        // At first quickly, where shared memory counts for each of them.
        guard memories.reduce(0, { $0 &+ $1.rough &+ $1.tables }) > most else { return false }
        return memories.reduce(0) { $0 &+ proportion(of: $1) &+ $1.tables } > most
    }

    /// A process's part of the memory without its page tables, in KiB.
    private static func proportion(of memory: Memory) -> UInt64 {
        // It cannot be read of programs whose files their user may not read.
        let names = ["Pss_Anon:", "Pss_Shmem:", "SwapPss:"]
        return sum(names, read("/proc/\(memory.task)/smaps_rollup")) ?? memory.rough
    }

    /// The memory of the process with these threads; nil if all have ended.
    private static func memory(of tasks: [pid_t]) -> Memory? {
        for task in tasks {
            if let memory = memory(of: task) { return memory }
        }
        return nil
    }

    /// The memory of the process that a thread is in; nil if the thread has ended.
    private static func memory(of task: pid_t) -> Memory? {
        let status = read("/proc/\(task)/status")
        guard let rough = sum(["RssAnon:", "RssShmem:", "VmSwap:"], status) else { return nil }
        return Memory(task: task, rough: rough, tables: sum(["VmPTE:"], status) ?? 0)
    }

    // MARK: Reading

    /// The number of a process's threads: the link count of the folder that lists them. 0 if there
    /// is no such process, or if it is not visible.
    private static func threadCount(of process: pid_t) -> Int {
        var status = stat()
        guard stat("/proc/\(process)/task", &status) == 0 else { return 0 }
        return max(1, Int(status.st_nlink) - 2)
    }

    private static func tasks(of process: pid_t) -> [pid_t] {
        ReadablePaths.names(in: "/proc/\(process)/task").compactMap { pid_t($0) }
    }

    /// The children of a thread, or the first of them if there are more than allowed.
    private static func children(of process: pid_t, _ task: pid_t, _ most: Int) -> [pid_t] {
        // A number has at most seven digits.
        let text = read("/proc/\(process)/task/\(task)/children", most > 1 << 40 ? .max : most * 8)
        return text.split(separator: UInt8(ascii: " ")).map {
            pid_t(truncatingIfNeeded: number($0))
        }
    }

    /// The sum of lines of a file, in KiB; nil if there are none.
    private static func sum(_ names: [String], _ file: [UInt8]) -> UInt64? {
        file.split(separator: UInt8(ascii: "\n")).reduce(nil) { sum, line in
            guard let name = names.first(where: { line.starts(with: $0.utf8) }) else { return sum }
            let words = line.dropFirst(name.utf8.count).split { $0 == 0x20 || $0 == 0x09 }
            return (sum ?? 0) &+ (words.first.map(number) ?? 0)
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64 {
        digits.reduce(0) { $0 &* 10 &+ UInt64($1 &- UInt8(ascii: "0")) }
    }

    /// A file of /proc, to a length or somewhat more; empty if it cannot be read.
    private static func read(_ path: String, _ byteCountMax: Int = .max) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 8_192) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            bytes += piece
            guard !piece.isEmpty, bytes.count <= byteCountMax else { return bytes }
        }
    }
}
