internal import Glibc

/// A terminal's size in character cells.
struct TerminalSize: Equatable {
    let columnCount: Int
    let rowCount: Int

    /// The size of the terminal on standard output, 80 × 24 where it does not say; nil where
    /// standard output is no terminal.
    static func ofStandardOutput() -> TerminalSize? {
        guard isatty(1) == 1 else { return nil }
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return TerminalSize(columnCount: 80, rowCount: 24)
        }
        return TerminalSize(columnCount: Int(size.ws_col), rowCount: Int(size.ws_row))
    }
}
