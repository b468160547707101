internal import Glibc
internal import ProxydTerminalText

/// Messages on standard error, one per line; the journal adds the time.
enum ShippingLog {
    static func write(_ message: String) {
        let line = "proxyship: \(TerminalText.sanitize(message))\n"
        _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
