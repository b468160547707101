import Foundation
import ProxydTerminalText

/// What a program sends to its terminal, byte by byte: everything that is not on the list below
/// is refused and kept for the test to show, the rest is carried out on a grid of cells.
struct TerminalStream {
    /// What a program may send besides text.
    enum Dialect {
        /// What terminfo's `xterm-256color` has for ncurses, the modes that the interface sets, and
        /// its clipboard: OSC 52 with base64 and nothing else.
        case fullScreen
        /// Lines, and colours among them.
        case lines
    }

    private enum State {
        case ground
        case character([UInt8], count: Int)
        case escape
        case charset
        case control([UInt8])
        case clipboard([UInt8])
    }

    /// The most marks on one character: more would paint over other lines.
    private static let combiningCountMax = 4

    private let dialect: Dialect
    private var state = State.ground
    private var combiningCount = 0
    private(set) var grid: TerminalGrid
    /// What was sent that must not be, with what came shortly before it.
    private(set) var refused: [String] = []
    /// How often the screen was wiped, to be drawn whole.
    private(set) var wipeCount = 0
    /// What was put into the clipboard.
    private(set) var copied: [Data] = []
    private var recent: [UInt8] = []

    init(_ dialect: Dialect, columns: Int, rows: Int) {
        self.dialect = dialect
        grid = TerminalGrid(columns: columns, rows: rows)
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            recent.append(byte)
            if recent.count > 128 { recent.removeFirst(64) }
            take(byte)
        }
    }

    /// Ends the stream: nothing may be left half said.
    mutating func end() {
        if case .ground = state { return }
        refuse("the end within a sequence")
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: takeGround(byte)
        case .character(let begun, let count): takeCharacter(begun + [byte], count)
        case .escape: takeEscape(byte)
        case .charset:
            state = .ground
            if byte != UInt8(ascii: "B") && byte != UInt8(ascii: "0") { refuse("a charset") }
        case .control(let begun): takeControl(begun, byte)
        case .clipboard(let begun): takeClipboard(begun, byte)
        }
    }

    private mutating func takeGround(_ byte: UInt8) {
        switch byte {
        case 0x1B: state = .escape
        case 0x0A, 0x0D: grid.control(byte)
        case 0x08 where dialect == .fullScreen: grid.control(byte)
        case 0x20..<0x7F: show(Unicode.Scalar(byte))
        case 0xC2...0xDF: state = .character([byte], count: 2)
        case 0xE0...0xEF: state = .character([byte], count: 3)
        case 0xF0...0xF4: state = .character([byte], count: 4)
        default: refuse("a control byte \(byte)")
        }
    }

    private mutating func takeCharacter(_ bytes: [UInt8], _ count: Int) {
        guard bytes.count == count else { return state = .character(bytes, count: count) }
        state = .ground
        guard let text = String(validating: bytes, as: UTF8.self),
            let scalar = text.unicodeScalars.first
        else { return refuse("bytes that are not UTF-8") }
        show(scalar)
    }

    private mutating func show(_ scalar: Unicode.Scalar) {
        if TerminalStream.isHostile(scalar) { refuse("U+\(String(scalar.value, radix: 16))") }
        let width = TerminalText.displayWidth(String(scalar))
        combiningCount = width == 0 ? combiningCount + 1 : 0
        if combiningCount > TerminalStream.combiningCountMax { refuse("a flood of marks") }
        grid.put(scalar, width: width)
    }

    /// Controls, what turns the direction of text, what is not seen, what means nothing.
    static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    // MARK: Sequences

    private mutating func takeEscape(_ byte: UInt8) {
        state = .ground
        switch (byte, dialect) {
        case (UInt8(ascii: "["), _): state = .control([])
        case (UInt8(ascii: "]"), .fullScreen): state = .clipboard([])
        case (UInt8(ascii: "("), .fullScreen): state = .charset
        case (UInt8(ascii: "M"), .fullScreen): grid.reverseIndex()
        case (UInt8(ascii: "="), .fullScreen), (UInt8(ascii: ">"), .fullScreen): break
        default: refuse("ESC \(byte)")
        }
    }

    private mutating func takeControl(_ begun: [UInt8], _ byte: UInt8) {
        guard (0x40..<0x7F).contains(byte) else {
            state = .control(begun + [byte])
            let isParameter = (0x30...0x3F).contains(byte)
            if !isParameter || begun.count > 32 { refuse("a parameter \(byte)") }
            return
        }
        state = .ground
        let text = String(decoding: begun, as: UTF8.self)
        let name = String(decoding: [byte], as: UTF8.self)
        guard TerminalStream.isAllowed(text, name, dialect) else {
            return refuse("CSI \(text) \(name)")
        }
        if name == "J", text == "2" { wipeCount += 1 }
        grid.perform(name, text.split(separator: ";").map { Int($0) ?? 0 })
    }

    private static let modes: Set = [
        "1", "7", "12", "25", "12;25", "1049", "1000", "1002", "1006", "2004",
    ]

    private static func isAllowed(_ text: String, _ name: String, _ dialect: Dialect) -> Bool {
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ";") }
        if name == "m" { return isPlain && text.split(separator: ";").count <= 12 }
        guard dialect == .fullScreen else { return false }
        switch name {
        case "h", "l":
            return text == "4" || text.first == "?" && modes.contains(String(text.dropFirst()))
        case "c": return text.isEmpty
        case "t": return text == "22;0;0" || text == "23;0;0"
        case "H", "r": return isPlain && text.split(separator: ";").count <= 2
        case "A", "B", "C", "D", "G", "d", "J", "K", "X", "P", "@", "L", "M", "S", "T", "b":
            return isPlain && !text.contains(";")
        default: return false
        }
    }

    private mutating func takeClipboard(_ begun: [UInt8], _ byte: UInt8) {
        // The question for the background's colour ends as ECMA-48 has it: ESC and a backslash.
        if begun == Array("11;?\u{1B}".utf8), byte == UInt8(ascii: "\\") {
            return state = .ground
        }
        if begun == Array("11;?".utf8), byte == 0x1B {
            return state = .clipboard(begun + [byte])
        }
        guard byte == 0x07 else {
            state = .clipboard(begun + [byte])
            if !(0x20..<0x7F).contains(byte) { refuse("byte \(byte) in OSC") }
            return
        }
        state = .ground
        let text = String(decoding: begun, as: UTF8.self)
        // The terminal's own colours, after an editor (terminfo's `oc`).
        if text == "104" { return }
        guard text.hasPrefix("52;c;"), let data = Data(base64Encoded: String(text.dropFirst(5)))
        else { return refuse("OSC \(text)") }
        copied.append(data)
    }

    private mutating func refuse(_ what: String) {
        state = .ground
        if refused.count < 10 {
            refused.append(
                "\(what) after \(String(decoding: recent, as: UTF8.self).debugDescription)")
        }
    }
}
