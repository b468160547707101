internal import ProxydCLinuxConfinement
internal import ProxydSystem
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
        let start = ProgramStart(
            streams: pipes.theirs, environment: command.environment, hasOwnGroup: true,
            inheritsDescriptors: false)
        do throws(SystemError) {
            pid = try start.run([launcher] + command.arguments)
        } catch {
            pipes.closeOurs()
            throw ConfinementFailure("\(launcher): \(error)")
        }
        (input, output, errors) = pipes.ours
    }

    public var hasEnded: Bool {
        var information = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        return waitid(P_PID, id_t(pid), &information, options) != 0
            || information.si_signo == SIGCHLD
    }

    public func closeInput() {
        if isInputOpen { close(input) }
        isInputOpen = false
    }

    /// Ends the program and its descendants, and closes the pipes. Call it only once.
    /// - Parameter graceMilliseconds: How long it may take to exit normally; 0 kills it
    ///   immediately.
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
