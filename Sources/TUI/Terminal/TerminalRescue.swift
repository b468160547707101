internal import Glibc

/// Gives the terminal back when the program has no time to do it properly: called from signal
/// handlers, so it only calls what is async-signal-safe and touches memory made before.
enum TerminalRescue {
    /// What a handler needs; made once, never freed.
    private struct Record {
        var settings = termios()
        var octets: UnsafeMutablePointer<UInt8>?
        var octetCount = 0
        /// Whether the terminal is ours now.
        var isArmed = false
        /// Signals to end that were not answered yet.
        var endCount: Int32 = 0
        /// Where handlers tell the program of signals.
        var pipe: Int32 = -1
    }

    // Written while no handler can run that reads it, or one word at a time; the pointer never
    // changes after `prepare`.
    private nonisolated(unsafe) static var record: UnsafeMutablePointer<Record>?
    private nonisolated(unsafe) static var former: UnsafeMutablePointer<sigaction>?

    private static let signalCountMax = 65
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]
    // The latter ones nobody means for us, but they end programs all the same.
    private static let ends = [
        SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
    ]
    private static let news = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Remembers how the terminal is, and what brings it back.
    static func prepare(reset: [UInt8], pipe: Int32) {
        let record = self.record ?? .allocate(capacity: 1)
        if self.record == nil {
            record.initialize(to: Record())
            tcgetattr(STDIN_FILENO, &record.pointee.settings)
            atexit { TerminalRescue.restore() }
        }
        let octets = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, reset.count))
        octets.initialize(from: reset, count: reset.count)
        record.pointee.octets = octets
        record.pointee.octetCount = reset.count
        record.pointee.pipe = pipe
        self.record = record
    }

    /// From now on the terminal is ours, or is not.
    static func arm(_ isArmed: Bool) { record?.pointee.isArmed = isArmed }

    /// The settings of before, for when the program leaves properly.
    static func restoreSettings() {
        if let record { tcsetattr(STDIN_FILENO, TCSADRAIN, &record.pointee.settings) }
    }

    /// Watches signals. Before the terminal library is started: it leaves alone what others took.
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

    /// A program inherits its launcher's mask, and one started by a thread that blocks signals
    /// would never hear that its window has another size.
    private static func unblock(_ numbers: [Int32]) {
        var mask = sigset_t()
        sigemptyset(&mask)
        for number in numbers { sigaddset(&mask, number) }
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }

    /// Takes the terminal library's handlers for our own again.
    static func watchAgain() { watch() }

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

    // Touched by `watch` only, which the one thread that owns the terminal calls.
    private nonisolated(unsafe) static var isInstalled = [Bool](
        repeating: false, count: signalCountMax)

    // MARK: In handlers

    /// Tells the program; a second signal to end is not left to it.
    private static func note(_ number: Int32) {
        guard let record else { return }
        let saved = errno
        var octet = UInt8(truncatingIfNeeded: number)
        _ = write(record.pointee.pipe, &octet, 1)
        if number != SIGWINCH, number != SIGTSTP, number != SIGCONT {
            record.pointee.endCount += 1
            if record.pointee.endCount > 1 {
                restore()
                _exit(128 &+ number)
            }
        }
        errno = saved
    }

    /// Restores the terminal, lets whoever reports crashes do so, and dies of the signal.
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
        guard let record, record.pointee.isArmed, let octets = record.pointee.octets else {
            return
        }
        record.pointee.isArmed = false
        _ = write(STDOUT_FILENO, octets, record.pointee.octetCount)
        tcsetattr(STDIN_FILENO, TCSANOW, &record.pointee.settings)
    }
}
