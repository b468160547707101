internal import Glibc
internal import ProxydCivilTime

/// SIGTERM and SIGINT, which end the program after the current batch. They are blocked, and taken
/// only while waiting.
final class StopSignals {
    private var signals = sigset_t()
    private(set) var hasCome = false

    /// Blocks the signals; call it before any thread starts.
    init() {
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits, or returns early if a signal comes or has come.
    func wait(milliseconds: Int64) {
        guard !hasCome else { return }
        var time = timespec(
            tv_sec: Int(milliseconds / 1_000),
            tv_nsec: Int(Nanoseconds.clamping(milliseconds: milliseconds % 1_000)))
        if sigtimedwait(&signals, nil, &time) > 0 { hasCome = true }
    }

    /// Takes a signal that has come without waiting.
    func check() { wait(milliseconds: 0) }
}
