internal import Glibc

/// How many descriptors the process may have open.
enum DescriptorLimit {
    /// Raises the soft limit to the hard one and returns what is then in force.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1024
        }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}

/// The signals that the daemon obeys.
enum Signals {
    /// Unblocks them: a program inherits its launcher's mask, and one started from a worker thread
    /// of another program would never hear of SIGTERM.
    static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}

/// Standard input, output and error.
enum StandardStreams {
    /// Opens those that whoever started us had closed: the next connection would get the number,
    /// and the log be written to a client.
    static func open() {
        // The lowest free number is what open(2) gives.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = Glibc.open("/dev/null", O_RDWR)
        }
    }
}

/// What a crash leaves behind.
enum CoreDumps {
    /// Writes none: the process holds the authority's key and captured secrets.
    static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
