internal import Glibc

/// Restores the terminal if the program ends abruptly. It is called from signal handlers, so it
/// only calls async-signal-safe functions and uses preallocated memory.
enum TerminalRescue {
    /// The data that a handler needs; created once, never freed.
    private struct Record {
        var settings = termios()
        var bytes: UnsafeMutablePointer<UInt8>?
        var byteCount = 0
        /// Whether the program has taken over the terminal.
        var isArmed = false
        /// The number of terminating signals that were not handled yet.
        var endCount: Int32 = 0
        /// The pipe through which handlers report signals.
        var pipe: Int32 = -1
    }

    // Written while no handler that reads it can run, or one word at a time; the pointer never
    // changes after `prepare`.
    private nonisolated(unsafe) static var record: UnsafeMutablePointer<Record>?
    private nonisolated(unsafe) static var former: UnsafeMutablePointer<sigaction>?

    private static let signalCountMax = 65
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]
    // The last ones are rarely sent to this program, but terminate it all the same.
    private static let ends = [
        SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
    ]
    private static let news = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Remembers the terminal's state, and the bytes that restore it.
    static func prepare(reset: [UInt8], pipe: Int32) {
        let record = self.record ?? .allocate(capacity: 1)
        if self.record == nil {
            record.initialize(to: Record())
            tcgetattr(STDIN_FILENO, &record.pointee.settings)
            atexit { TerminalRescue.restore() }
        }
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, reset.count))
        bytes.initialize(from: reset, count: reset.count)
        record.pointee.bytes = bytes
        record.pointee.byteCount = reset.count
        record.pointee.pipe = pipe
        self.record = record
    }

    static func arm(_ isArmed: Bool) { record?.pointee.isArmed = isArmed }

    /// Restores the earlier settings when the program exits normally.
    static func restoreSettings() {
        if let record { tcsetattr(STDIN_FILENO, TCSADRAIN, &record.pointee.settings) }
    }

    /// Installs signal handlers, before the terminal library starts, which respects existing ones.
    static func watch() {
        if former == nil {
            let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: signalCountMax)
            actions.initialize(repeating: sigaction(), count: signalCountMax)
            former = actions
        }
        for number in ends + news { install(number, SA_RESTART) { TerminalRescue.note($0) } }
        for number in crashes {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = { TerminalRescue.crashed($0, $1, $2) }
            action.sa_flags = SA_ONSTACK | SA_SIGINFO
            install(number, action)
        }
        unblock(ends + news)
    }

    /// A program inherits its parent's signal mask, and if started by a thread that blocks signals
    /// it would never learn of a changed window size.
    private static func unblock(_ numbers: [Int32]) {
        var mask = sigset_t()
        sigemptyset(&mask)
        for number in numbers { sigaddset(&mask, number) }
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }

    private static func install(
        _ number: Int32, _ flags: Int32, _ handler: @escaping @convention(c) (Int32) -> Void
    ) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = flags
        install(number, action)
    }

    private static func install(_ number: Int32, _ action: sigaction) {
        var action = action
        var old = sigaction()
        sigaction(number, &action, &old)
        if let former, !isInstalled[Int(number)] {
            former[Int(number)] = old
            isInstalled[Int(number)] = true
        }
    }

    // Used only by `watch`, which the one thread that owns the terminal calls.
    private nonisolated(unsafe) static var isInstalled = [Bool](
        repeating: false, count: signalCountMax)

    // MARK: In signal handlers

    /// Reports a signal to the program; a second terminating signal is handled immediately.
    private static func note(_ number: Int32) {
        guard let record else { return }
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(record.pointee.pipe, &byte, 1)
        if number != SIGWINCH, number != SIGTSTP, number != SIGCONT {
            record.pointee.endCount += 1
            if record.pointee.endCount > 1 {
                restore()
                _exit(128 &+ number)
            }
        }
        errno = saved
    }

    /// Restores the terminal, runs the crash reporter, and ends by the signal.
    private static func crashed(
        _ number: Int32, _ information: UnsafeMutablePointer<siginfo_t>?,
        _ context: UnsafeMutableRawPointer?
    ) {
        restore()
        if let former, former[Int(number)].sa_flags & SA_SIGINFO != 0 {
            former[Int(number)].__sigaction_handler.sa_sigaction?(number, information, context)
        }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(number, &action, nil)
        unblock([number])
        raise(number)
    }

    private static func restore() {
        guard let record, record.pointee.isArmed, let bytes = record.pointee.bytes else { return }
        record.pointee.isArmed = false
        _ = write(STDOUT_FILENO, bytes, record.pointee.byteCount)
        tcsetattr(STDIN_FILENO, TCSANOW, &record.pointee.settings)
    }
}
