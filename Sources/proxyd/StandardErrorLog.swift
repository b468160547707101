internal import ProxydCivilTime
internal import ProxydTerminalText
internal import Glibc
internal import Logging
internal import Synchronization

/// Writes one line per message to standard error: time, level, message and metadata.
///
/// Under systemd, the journal adds the time and reads the level from the `<N>` prefix
/// (sd-daemon(3)). Text from outside is made printable first.
struct StandardErrorLog: LogHandler {
    /// Shared by all handlers, so that the level can change while the program runs.
    private static let sharedLevel = Mutex(Logger.Level.info)

    var metadata: Logger.Metadata = [:]
    private let isJournal: Bool

    /// Makes this the handler of every logger in the process.
    static func install(level: Logger.Level, environment: [String: String]) {
        setLevel(level)
        let isJournal = environment["JOURNAL_STREAM"] != nil
        LoggingSystem.bootstrap { _ in StandardErrorLog(isJournal: isJournal) }
    }

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
            : "\(CivilTime(secondsSinceEpoch: Int64(time(nil))))Z \(event.level) \(text)\n"
        // A single write, so that lines from different threads are not interleaved.
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}

extension Logger.Level {
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

/// Messages to the user that do not go through the log.
enum StandardError {
    /// Writes text of one or more lines, with control characters made safe for a terminal.
    static func write(_ text: String) {
        let safe = TerminalText.sanitize(text, layout: .multiLine) + "\n"
        _ = safe.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
