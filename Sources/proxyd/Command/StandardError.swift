internal import Glibc
internal import ProxydTerminalText

/// Messages to the user that do not go through the log.
enum StandardError {
    /// Writes text of one or more lines, with control characters made safe for a terminal.
    static func write(_ text: String) {
        let safe = TerminalText.sanitize(text, layout: .multiLine) + "\n"
        _ = safe.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
