internal import ProxydCLinuxConfinement
package import ProxydSystem
internal import Glibc

/// How a program is started, confined or not. No signal is blocked or ignored in it.
package struct ProgramStart {
    /// The descriptors that become its standard input, output and errors; nil for an empty input,
    /// or an output that no one reads.
    package var streams: [Int32?]
    /// Its variables, as `NAME=value`.
    package var environment: [String]
    /// Whether it gets none of the signals that a terminal sends to this program.
    package var hasOwnGroup: Bool
    /// Whether it inherits the descriptors that are not closed on exec.
    package var inheritsDescriptors: Bool

    package init(
        streams: [Int32?], environment: [String], hasOwnGroup: Bool, inheritsDescriptors: Bool
    ) {
        self.streams = streams
        self.environment = environment
        self.hasOwnGroup = hasOwnGroup
        self.inheritsDescriptors = inheritsDescriptors
    }

    /// Starts a command: the program's path, or its name in the search path, and its arguments.
    /// - Returns: The number of the process.
    package func run(_ command: [String]) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (index, stream) in streams.enumerated() {
            let number = Int32(index)
            if let stream {
                posix_spawn_file_actions_adddup2(&actions, stream, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        if !inheritsDescriptors {
            let problem = clinuxconfinement_close_from(&actions, STDERR_FILENO + 1)
            guard problem == 0 else { throw SystemError(number: problem) }
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
        let group = hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
        let words = command.map { strdup($0) }, variables = environment.map { strdup($0) }
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        let problem = posix_spawnp(
            &pid, command[0], &actions, &attributes, words + [nil], variables + [nil])
        guard problem == 0 else { throw SystemError(number: problem) }
        return pid
    }
}
