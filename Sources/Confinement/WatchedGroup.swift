internal import Glibc
internal import ProxydCLinuxConfinement

/// A program and its descendants, and what they take, as /proc says it (proc(5)).
struct WatchedGroup {
    /// What there is more of than there may be.
    struct Excess: Equatable {
        let description: String
        /// Whether it is so at one look. Memory may not be: it counts twice between vfork(2) and
        /// execve(2), and threads that are ending have none.
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
        /// A thread that has not ended: that of the process's number may have.
        let task: pid_t
        let rough: UInt64
        let tables: UInt64
    }

    /// The parent of the program, and of descendants whose parents have ended.
    private let watcher: pid_t

    init(of watcher: pid_t) { self.watcher = watcher }

    /// What the processes have more of than they may; nil if there is nothing.
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

    /// Whether processes take more memory than this together, in KiB. Memory that several of them
    /// share counts once.
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

    /// The number of a process's threads: of its folders for them, which are links of one folder. 0
    /// if there is no such process, or none that may be seen.
    private static func threadCount(of process: pid_t) -> Int {
        var status = stat()
        guard stat("/proc/\(process)/task", &status) == 0 else { return 0 }
        return max(1, Int(status.st_nlink) - 2)
    }

    /// The numbers of a process's threads.
    private static func tasks(of process: pid_t) -> [pid_t] {
        ReadablePaths.names(in: "/proc/\(process)/task").compactMap { pid_t($0) }
    }

    /// The children of a thread, or the first of them if there are more than there may be.
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
