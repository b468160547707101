internal import ProxydCNcurses
internal import ProxydPresentation
internal import ProxydSystem
internal import Glibc

/// The terminal, the only user of the terminal library. Confined to one thread.
final class Terminal {
    private static let mouseOn = "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h"
    private static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l"
    private static let pasteOn = "\u{1B}[?2004h"
    private static let pasteOff = "\u{1B}[?2004l"

    private let library: OpaquePointer
    private var window: UnsafeMutablePointer<WINDOW>
    private var painter: CellPainter
    private var shown: Screen?
    private var isMouseWanted = true
    private let colourCount: Int
    /// Keys from this terminal's own description.
    let sequences: [[UInt8]: Key]

    /// Takes over the terminal. Signals are written to `signalPipe`, one byte each.
    init(signalPipe: Int32, usesColour: Bool, terminalBackground: Theme.Background) throws {
        Terminal.setLocale()
        TerminalRescue.prepare(reset: [], pipe: signalPipe)
        TerminalRescue.watch()
        guard let output = fdopen(dup(STDOUT_FILENO), "w"),
            let input = fdopen(dup(STDIN_FILENO), "r"), let library = newterm(nil, output, input)
        else {
            let name = getenv("TERM").map { String(cString: $0) } ?? ""
            throw WorkFailure("unknown terminal: TERM is “\(name)”")
        }
        self.library = library
        guard TerminalDescription.string("cup") != nil, let window = newwin(0, 0, 0, 0) else {
            endwin()
            throw WorkFailure("this terminal cannot move the cursor: see TERM")
        }
        self.window = window
        sequences = TerminalDescription.keys()
        colourCount = usesColour ? TerminalDescription.number("colors") : 0
        let theme = Theme(colourCount: colourCount, terminalBackground: terminalBackground)
        if theme.depth != .none {
            start_color()
            use_default_colors()
        }
        painter = CellPainter(theme)
        TerminalRescue.prepare(reset: Terminal.resetBytes, pipe: signalPipe)
        // The library has installed handlers of its own.
        TerminalRescue.watch()
        enter()
    }

    /// Takes over the terminal again after `leave`.
    func enter() {
        TerminalRescue.arm(true)
        raw()
        noecho()
        nonl()
        shown = nil
        wclear(window)
        clearok(window, true)
        wnoutrefresh(window)
        doupdate()
        write(Terminal.pasteOn + (isMouseWanted ? Terminal.mouseOn : ""))
    }

    func leave() {
        write(Terminal.mouseOff + Terminal.pasteOff)
        curs_set(1)
        endwin()
        // If there is no other screen to return to, later output starts below this one.
        if TerminalDescription.string("rmcup") == nil { write("\r\n") }
        TerminalRescue.restoreSettings()
        TerminalRescue.arm(false)
    }

    var hasColours: Bool { colourCount >= 8 }

    /// Queries the background colour; the answer arrives like key presses.
    func queryBackground() { write(TerminalBackground.question) }

    func setTerminalBackground(_ terminalBackground: Theme.Background) {
        let theme = Theme(colourCount: colourCount, terminalBackground: terminalBackground)
        guard theme != painter.theme else { return }
        painter = CellPainter(theme)
        forget()
    }

    /// Whether mouse events are reported to this program, or the terminal selects text itself.
    func setMouse(_ isOn: Bool) {
        isMouseWanted = isOn
        write(isOn ? Terminal.mouseOn : Terminal.mouseOff)
    }

    /// Copies bytes to the clipboard with OSC 52.
    func copy(_ base64: String) { write("\u{1B}]52;c;\(base64)\u{7}") }

    var size: Size {
        var measured = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &measured) == 0, measured.ws_col > 0,
            measured.ws_row > 0
        else { return Size(columns: 80, rows: 24) }
        return Size(columns: Int(measured.ws_col), rows: Int(measured.ws_row))
    }

    func resize(to size: Size) {
        resizeterm(Int32(clamping: size.rows), Int32(clamping: size.columns))
        wresize(window, Int32(clamping: size.rows), Int32(clamping: size.columns))
        forget()
    }

    /// Makes the next screen be drawn completely.
    func forget() {
        shown = nil
        wclear(window)
        clearok(window, true)
    }

    /// Shows a screen; only changes are sent.
    func present(_ screen: Screen) {
        let old = shown?.size == screen.size ? shown : nil
        for row in 0..<screen.size.rows {
            if let old, old.row(row).elementsEqual(screen.row(row)) { continue }
            for column in 0..<screen.size.columns {
                let cell = screen[column, row]
                if cell.isContinuation { continue }
                let isWide = screen[column + 1, row].isContinuation
                if let old, old[column, row] == cell, old[column + 1, row].isContinuation == isWide
                {
                    continue
                }
                painter.paint(cell, width: isWide ? 2 : 1, column, row, window)
            }
        }
        if let cursor = screen.cursor {
            curs_set(1)
            wmove(window, Int32(clamping: cursor.row), Int32(clamping: cursor.column))
        } else {
            curs_set(0)
        }
        wnoutrefresh(window)
        doupdate()
        shown = screen
    }

    // MARK: Outside the library

    private func write(_ text: String) {
        // A terminal that is gone needs nothing more.
        try? FullWrite.write(Array(text.utf8), to: STDOUT_FILENO)
    }

    /// Uses the user's locale if its charset is UTF-8, as the output is; otherwise C.UTF-8.
    private static func setLocale() {
        let isSet = setlocale(LC_CTYPE, "") != nil
        let name = nl_langinfo(nl_item(CODESET)).map { String(cString: $0) }
        if !isSet || name != "UTF-8" { setlocale(LC_CTYPE, "C.UTF-8") }
    }

    /// Bytes that make a terminal usable again in any state.
    private static var resetBytes: [UInt8] {
        let names = ["sgr0", "rmkx", "cnorm", "rmcup"]
        let strings = names.compactMap(TerminalDescription.string).flatMap { $0 }
        return Array((mouseOff + pasteOff).utf8) + strings + Array("\r\n".utf8)
    }
}

/// The terminal's capabilities from terminfo.
enum TerminalDescription {
    /// The bytes of a capability, or nil if the terminal lacks it.
    static func string(_ name: String) -> [UInt8]? {
        // The function is declared with a mutable string on some systems.
        guard let value = name.withCString({ tigetstr(UnsafeMutablePointer(mutating: $0)) }),
            UInt(bitPattern: value) != UInt.max
        else { return nil }
        // Padding such as $<5> is for hardware terminals.
        let text = String(cString: value).replacing(/\$<[0-9.*\/]*>/, with: "")
        return Array(text.utf8)
    }

    /// A numeric capability; 0 if the terminal lacks it.
    static func number(_ name: String) -> Int {
        let value = name.withCString { tigetnum(UnsafeMutablePointer(mutating: $0)) }
        return max(0, Int(value))
    }

    /// The keys whose sequences start with ESC.
    static func keys() -> [[UInt8]: Key] {
        let names: [(String, Key)] =
            [
                ("kcuu1", Key(.up)), ("kcud1", Key(.down)), ("kcub1", Key(.left)),
                ("kcuf1", Key(.right)), ("khome", Key(.home)), ("kend", Key(.end)),
                ("kpp", Key(.pageUp)), ("knp", Key(.pageDown)), ("kich1", Key(.insert)),
                ("kdch1", Key(.delete)), ("kcbt", .backtab),
            ] + (1...12).map { ("kf\($0)", Key(.function($0))) }
        var keys: [[UInt8]: Key] = [:]
        for (name, key) in names {
            if let bytes = string(name), bytes.first == 0x1B, bytes.count > 2 { keys[bytes] = key }
        }
        return keys
    }
}

/// Converts cells for the terminal library.
struct CellPainter {
    let theme: Theme
    private var looks: [Style: (attributes: attr_t, pair: Int32)] = [:]

    init(_ theme: Theme) { self.theme = theme }

    mutating func paint(
        _ cell: Cell, width: Int, _ column: Int, _ row: Int, _ window: UnsafeMutablePointer<WINDOW>
    ) {
        let look = look(cell.style)
        var pair = look.pair
        var scalars = cell.character.unicodeScalars.prefix(Int(CCHARW_MAX)).map {
            wchar_t(bitPattern: $0.value)
        }
        if let first = scalars.first, wcwidth(first) != Int32(width) {
            // The C library disagrees about its width, or does not know the character.
            scalars = Array(CellPainter.substitute(first, width).utf8).map { wchar_t($0) }
        }
        for (offset, part) in CellPainter.parts(scalars).enumerated() {
            var cell = cchar_t()
            setcchar(&cell, part + [0], look.attributes, Int16(clamping: pair), &pair)
            wmove(window, Int32(clamping: row), Int32(clamping: column + offset))
            wadd_wch(window, &cell)
        }
    }

    /// A character with its combining marks is one part; substitutes are separate parts.
    private static func parts(_ scalars: [wchar_t]) -> [[wchar_t]] {
        scalars.allSatisfy { $0 < 0x80 } ? scalars.map { [$0] } : [scalars]
    }

    private static func substitute(_ scalar: wchar_t, _ width: Int) -> String {
        switch Unicode.Scalar(UInt32(bitPattern: scalar)) {
        case "─", "━": "-"
        case "│", "┃": "|"
        case "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼": "+"
        case "…": "."
        case "●": "*"
        case "○": "o"
        default: String(repeating: "?", count: width)
        }
    }

    private mutating func look(_ style: Style) -> (attributes: attr_t, pair: Int32) {
        if let known = looks[style] { return known }
        var attributes: attr_t = 0
        let wanted = theme.attributes(style)
        if wanted.contains(.bold) { attributes |= proxyd_bold }
        if wanted.contains(.dim) { attributes |= proxyd_dim }
        if wanted.contains(.underline) { attributes |= proxyd_underline }
        if wanted.contains(.reverse) { attributes |= proxyd_reverse }
        if wanted.contains(.italic) { attributes |= proxyd_italic }
        let foreground = Int32(theme.foreground(style))
        let background = Int32(theme.background(style.background))
        var pair: Int32 = 0
        if theme.depth != .none, foreground >= 0 || background >= 0 {
            pair = max(0, alloc_pair(foreground, background))
        }
        // Pictures have thousands of colour combinations.
        if looks.count > 4_096 { looks = [:] }
        looks[style] = (attributes, pair)
        return (attributes, pair)
    }
}
