internal import Glibc

/// A terminal's size in character cells.
struct TerminalSize: Equatable {
    let columnCount: Int
    let rowCount: Int

    /// The size of the terminal on standard output, 80 × 24 if it does not report one, or nil if
    /// standard output is not a terminal.
    static func ofStandardOutput() -> TerminalSize? { of(descriptor: 1) }

    /// The size of the terminal on standard error, or nil if it is not a terminal.
    static func ofStandardError() -> TerminalSize? { of(descriptor: 2) }

    private static func of(descriptor: Int32) -> TerminalSize? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return TerminalSize(columnCount: 80, rowCount: 24)
        }
        return TerminalSize(columnCount: Int(size.ws_col), rowCount: Int(size.ws_row))
    }
}
