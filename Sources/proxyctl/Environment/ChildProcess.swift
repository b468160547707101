internal import FoundationEssentials
internal import Glibc

/// A program that this one has started. Foundation's `Process` would bring ICU, of 34 MB, with it.
struct ChildProcess {
    /// What the program has as one of its standard streams.
    enum Stream {
        case inherited
        case null
        case descriptor(Int32)
    }

    /// Its process id.
    let id: pid_t

    /// Starts a program with no signal blocked or ignored. Descriptors of this process that are not
    /// closed on exec are inherited.
    /// - Parameters:
    ///   - command: The path of the program, and its arguments.
    ///   - environment: Its variables instead of those of this process.
    ///   - hasOwnGroup: Whether signals from the terminal do not reach it.
    /// - Returns: nil if it cannot be started.
    init?(
        _ command: [String], environment: [String: String]? = nil, input: Stream = .inherited,
        output: Stream = .inherited, errors: Stream = .inherited, hasOwnGroup: Bool = false
    ) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let streams = [STDIN_FILENO: input, STDOUT_FILENO: output, STDERR_FILENO: errors]
        for (number, stream) in streams {
            switch stream {
            case .inherited: break
            case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .descriptor(let descriptor):
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        ChildProcess.set(&attributes, hasOwnGroup: hasOwnGroup)
        let environment = environment ?? ProcessInfo.processInfo.environment
        var child: pid_t = 0
        let problem = ChildProcess.withStrings(command) { argv in
            ChildProcess.withStrings(environment.map { "\($0)=\($1)" }) { envp in
                posix_spawn(&child, command[0], &actions, &attributes, argv, envp)
            }
        }
        guard problem == 0 else { return nil }
        id = child
    }

    /// The exit code, or nil while it is running; 128 plus the number of a signal that ended it.
    var exitCode: Int32? {
        var status: Int32 = 0
        let result = waitpid(id, &status, WNOHANG)
        guard result == id else { return result < 0 && errno != EINTR ? -1 : nil }
        return ChildProcess.exitCode(status)
    }

    /// Waits for its end, and returns its exit code.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) != id {
            guard errno == EINTR else { return -1 }
        }
        return ChildProcess.exitCode(status)
    }

    private static func exitCode(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : signal &+ 128
    }

    private static func set(_ attributes: inout posix_spawnattr_t, hasOwnGroup: Bool) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if hasOwnGroup { flags |= POSIX_SPAWN_SETPGROUP }
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    private static func withStrings<Value>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
