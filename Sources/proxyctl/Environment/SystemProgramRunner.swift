internal import Foundation
internal import Glibc

/// Runs programs of this system, each for at most half a minute.
///
/// Does not use Foundation's `Process`, which waits on a separate thread, and forever if that
/// thread cannot be created.
struct SystemProgramRunner: ProgramRunner {
    private static let patience = Duration.seconds(30)
    /// How long a program's pipes are read after its end, if its child processes keep them open.
    private static let grace = Duration.seconds(1)

    func find(_ name: String) -> String? {
        // sbin contains update-ca-certificates and is not in every user's path.
        let search = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        for directory in search.split(separator: ":") {
            let path = "\(directory)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
    }

    func run(
        _ path: String, _ arguments: [String], environment: [String: String]?
    ) -> ProgramResult? {
        guard let output = OutputPipe(), let errors = OutputPipe(),
            let child = SystemProgramRunner.spawn(
                [path] + arguments, environment ?? ProcessInfo.processInfo.environment,
                output: output, errors: errors)
        else { return nil }
        var exitCode: Int32?
        var deadline = ContinuousClock.now + SystemProgramRunner.patience
        while exitCode == nil || !output.isAtEnd || !errors.isAtEnd, .now < deadline {
            OutputPipe.wait(for: output, errors)
            output.read()
            errors.read()
            guard exitCode == nil else { continue }
            exitCode = SystemProgramRunner.exitCode(of: child)
            if exitCode != nil { deadline = min(deadline, .now + SystemProgramRunner.grace) }
        }
        guard let exitCode else {
            // Its end is not awaited: proxyctl itself ends soon.
            kill(child, SIGTERM)
            return nil
        }
        return ProgramResult(exitCode: exitCode, output: output.octets, errors: errors.octets)
    }

    /// Starts a program with empty input, and with no signal blocked or ignored.
    private static func spawn(
        _ command: [String], _ environment: [String: String], output: OutputPipe,
        errors: OutputPipe
    ) -> pid_t? {
        defer {
            output.closeWriteEnd()
            errors.closeWriteEnd()
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writeEnd, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.writeEnd, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var child: pid_t = 0
        let problem = withStrings(command) { argv in
            withStrings(environment.map { "\($0)=\($1)" }) { envp in
                posix_spawn(&child, command[0], &actions, &attributes, argv, envp)
            }
        }
        return problem == 0 ? child : nil
    }

    private static func withStrings<Value>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// The exit code of a program, or nil while it is running.
    private static func exitCode(of child: pid_t) -> Int32? {
        var status: Int32 = 0
        let result = waitpid(child, &status, WNOHANG)
        guard result == child else { return result < 0 && errno != EINTR ? -1 : nil }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : signal &+ 128
    }
}
