internal import ProxydCLinuxProcess
internal import Glibc

public enum StandardStreams {
    /// Opens `/dev/null` on the descriptors that the parent process had closed. Otherwise the next
    /// file or connection would get the number, and with it output meant for a person. Reading or
    /// writing there fails with EBADF, so that nothing is lost silently.
    public static func open() {
        // open(2) returns the lowest free number.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = Glibc.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

/// The signals that the daemon handles.
public enum Signals {
    /// Unblocks them: a program inherits its launcher's signal mask, and if it is started from
    /// another program's worker thread, it might never receive SIGTERM.
    public static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}

public enum DescriptorLimit {
    /// Raises the soft limit to the hard one, and returns the limit then in force.
    public static func raise() -> Int {
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

public enum CoreDumps {
    /// Disables core dumps: the process has the authority's key and captured secrets.
    ///
    /// The limit alone is not enough: the kernel ignores it where dumps are piped to a program
    /// (`kernel.core_pattern`). A process that may not be dumped cannot be traced either, nor its
    /// memory read, by other programs of its user; root still can.
    public static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = clinuxprocess_set_dumpable(0)
    }
}

public enum ProcessEnvironment {
    /// All variables; the first of several with the same name counts, as with getenv(3).
    public static func current() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "="), equals != text.startIndex {
                let name = String(text[..<equals])
                if variables[name] == nil {
                    variables[name] = String(text[text.index(after: equals)...])
                }
            }
            next += 1
        }
        return variables
    }
}

package enum GlibcAllocator {
    /// The maximum size of free memory at the top of the heap, in bytes, that is kept.
    private static let trimThreshold: Int32 = 65_536

    /// Makes all threads share one arena and returns free memory; to be called before any thread is
    /// started. With one arena per thread, memory freed by one is of no use to others, and a
    /// process whose threads rarely run at the same time takes twice the memory.
    package static func saveMemory() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_TRIM_THRESHOLD, trimThreshold)
    }
}
