internal import Glibc

/// The signals that the daemon obeys.
public enum Signals {
    /// Unblocks them: a program inherits its launcher's mask, and one started from a worker thread
    /// of another program would never hear of SIGTERM.
    public static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}
