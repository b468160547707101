internal import ProxydCLinuxConfinement
internal import Glibc

/// A running confined program, and the pipes to it. The code that starts it must also end it.
///
/// It inherits only three pipes: no other descriptors, no variables, and no blocked or ignored
/// signals. It has its own process group.
public final class ConfinedProcess {
    /// This side's non-blocking ends of the pipes.
    public let input: Int32, output: Int32, errors: Int32
    private let pid: pid_t
    private var isInputOpen = true

    public enum Ending: Sendable, Hashable, CustomStringConvertible {
        case exited(Int32)
        case killed(signal: Int32)

        public var description: String {
            switch self {
            case .exited(let status): "it ended with status \(status)"
            case .killed(let signal): "it was ended by signal \(signal)"
            }
        }
    }

    /// - Parameter launcher: The program that becomes the command with `ConfinedCommand.become`.
    public init(_ command: ConfinedCommand, by launcher: String) throws(ConfinementFailure) {
        let pipes = try PipeSet()
        defer { pipes.closeTheirs() }
        do throws(ConfinementFailure) {
            pid = try ConfinedProcess.spawn(
                [launcher] + command.arguments, command.environment, pipes)
        } catch {
            pipes.closeOurs()
            throw error
        }
        (input, output, errors) = pipes.ours
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], _ pipes: PipeSet
    ) throws(ConfinementFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in pipes.theirs.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        guard clinuxconfinement_close_from(&actions, STDERR_FILENO + 1) == 0 else {
            throw ConfinementFailure("descriptors cannot be kept from it")
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var pid: pid_t = 0
        let words = arguments.map { strdup($0) }, variables = environment.map { strdup($0) }
        defer { for text in words + variables { free(text) } }
        let result = posix_spawn(
            &pid, arguments[0], &actions, &attributes, words + [nil], variables + [nil])
        guard result == 0 else {
            throw ConfinementFailure("\(arguments[0]): \(String(cString: strerror(result)))")
        }
        return pid
    }

    public var hasEnded: Bool {
        var information = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        return waitid(P_PID, id_t(pid), &information, options) != 0
            || information.si_signo == SIGCHLD
    }

    /// Ends the program's input.
    public func closeInput() {
        if isInputOpen { close(input) }
        isInputOpen = false
    }

    /// Ends the program and its descendants, and closes the pipes. Call it only once.
    /// - Parameter graceMilliseconds: How long it may take to exit normally; 0 kills it
    ///   immediately.
    /// - Returns: How it ended.
    @discardableResult
    public func end(graceMilliseconds: Int) -> Ending {
        closeInput()
        var left = graceMilliseconds
        if left > 0 { kill(-pid, SIGTERM) }
        while left > 0, !hasEnded {
            usleep(10_000)
            left -= 10
        }
        // Until the process is waited for, its number and its group's cannot be reused.
        kill(-pid, SIGKILL)
        // Before it is waited for: nothing can wait for room in a pipe that no one reads.
        close(output)
        close(errors)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }
}

/// Three pipes between a program and its parent.
struct PipeSet {
    /// The program's ends: input, output and errors.
    let theirs: [Int32]
    /// The parent's ends, which are non-blocking.
    let ours: (input: Int32, output: Int32, errors: Int32)

    init() throws(ConfinementFailure) {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard clinuxconfinement_pipe(&ends) == 0 else {
                let failure = ConfinementFailure(errnoOf: "a pipe")
                for end in pipes.joined() { close(end) }
                throw failure
            }
            pipes.append(ends)
        }
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        ours = (pipes[0][1], pipes[1][0], pipes[2][0])
        for end in [ours.input, ours.output, ours.errors] {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
    }

    func closeTheirs() { for end in theirs { close(end) } }

    func closeOurs() { for end in [ours.input, ours.output, ours.errors] { close(end) } }
}
