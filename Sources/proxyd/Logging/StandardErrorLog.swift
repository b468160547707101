internal import Glibc
internal import Logging
internal import Synchronization
internal import ProxydTerminalText

/// Writes one line a message to standard error: time, level, message, what belongs to it.
///
/// Under systemd the journal adds the time itself and reads the level from the `<N>` prefix
/// (sd-daemon(3)). Whatever a message quotes from outside is made visible text first.
struct StandardErrorLog: LogHandler {
    /// What all handlers share: the level can change while the program runs.
    private static let sharedLevel = Mutex(Logger.Level.info)

    var metadata: Logger.Metadata = [:]
    private let isJournal: Bool

    /// Sends every logger of the process here.
    static func install(level: Logger.Level, environment: [String: String]) {
        setLevel(level)
        let isJournal = environment["JOURNAL_STREAM"] != nil
        LoggingSystem.bootstrap { _ in StandardErrorLog(isJournal: isJournal) }
    }

    /// Changes what is logged from now on.
    static func setLevel(_ level: Logger.Level) { sharedLevel.withLock { $0 = level } }

    private init(isJournal: Bool) { self.isJournal = isJournal }

    var logLevel: Logger.Level {
        get { StandardErrorLog.sharedLevel.withLock { $0 } }
        set { StandardErrorLog.setLevel(newValue) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let facts = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let text = TerminalText.sanitize("\(event.message)\(facts)")
        let line =
            isJournal
            ? "<\(event.level.syslogPriority)>\(text)\n"
            : "\(StandardErrorLog.timestamp()) \(event.level) \(text)\n"
        // One write, so that lines of several threads do not mix.
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    private static func timestamp() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Logger.Level {
    /// The level as syslog numbers it.
    fileprivate var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
