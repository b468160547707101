internal import FoundationEssentials
internal import Glibc

/// A program that was started, with no signal blocked or ignored.
///
/// Does not use Foundation's `Process`, which waits on a separate thread, and forever if that
/// thread cannot be created; it would also bring ICU, of 34 MB, with it.
final class ChildProgram {
    /// The descriptors that become the program's standard streams; nil for an empty input, or an
    /// output that no one reads.
    struct Streams {
        var input: Int32?
        var output: Int32?
        var errors: Int32?

        /// Those of this program.
        static let own = Streams(input: STDIN_FILENO, output: STDOUT_FILENO, errors: STDERR_FILENO)
    }

    /// The time between checks whether it has ended, in microseconds.
    private static let stepUs: UInt32 = 10_000

    let pid: pid_t
    private var exitCode: Int32?

    /// Starts a program.
    /// - Parameters:
    ///   - command: The program's path, or its name in the search path, and its arguments.
    ///   - hasOwnGroup: Whether it gets none of the signals that a terminal sends to this program.
    /// - Throws: if it cannot be started.
    init(
        _ command: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        streams: Streams = .own,
        hasOwnGroup: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        ChildProgram.add(streams, to: &actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
        var child: pid_t = 0
        let problem = ChildProgram.withStrings(command) { argv in
            ChildProgram.withStrings(environment.map { "\($0)=\($1)" }) { envp in
                posix_spawnp(&child, command[0], &actions, &attributes, argv, envp)
            }
        }
        guard problem == 0 else {
            throw CommandFailure(
                "\(command[0]): \(String(cString: strerror(problem)))",
                code: problem == ENOENT ? .notFound : .notStarted)
        }
        pid = child
    }

    private static func add(_ streams: Streams, to actions: inout posix_spawn_file_actions_t) {
        let all = [
            (STDIN_FILENO, streams.input), (STDOUT_FILENO, streams.output),
            (STDERR_FILENO, streams.errors),
        ]
        for (number, descriptor) in all {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
    }

    private static func withStrings<Value>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// The exit code, or 128 plus the number of the signal that ended it; nil while it is running.
    func end() -> Int32? {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        let result = waitpid(pid, &status, WNOHANG)
        guard result == pid else {
            if result < 0, errno != EINTR { exitCode = -1 }
            return exitCode
        }
        let signal = status & 0x7F
        exitCode = signal == 0 ? status >> 8 & 0xFF : signal &+ 128
        return exitCode
    }

    /// Takes note of the end of a program that is about to end: the system keeps what has ended
    /// until then. Returns false if it takes longer.
    static func reap(_ pid: pid_t, within duration: Duration) -> Bool {
        let deadline = ContinuousClock.now + duration
        while waitpid(pid, nil, WNOHANG) == 0 {
            guard .now < deadline else { return false }
            usleep(1_000)
        }
        return true
    }

    /// Sends a signal, unless it has ended.
    func send(_ signal: Int32) {
        if end() == nil { kill(pid, signal) }
    }

    /// Waits for its end; returns nil if it takes longer, or if `isStopped` returns true.
    func wait(for duration: Duration? = nil, _ isStopped: () -> Bool = { false }) -> Int32? {
        let deadline = duration.map { ContinuousClock.now + $0 }
        while true {
            if let exitCode = end() { return exitCode }
            if isStopped() || deadline.map({ $0 <= .now }) ?? false { return nil }
            usleep(ChildProgram.stepUs)
        }
    }
}
