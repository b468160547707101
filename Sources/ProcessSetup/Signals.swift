internal import Glibc

/// The signals that the daemon handles.
public enum Signals {
    /// Unblocks them: a program inherits its launcher's signal mask, and one started from a worker
    /// thread of another program might never receive SIGTERM.
    public static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}
