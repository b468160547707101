/// Decodes bytes from a terminal to keys, mouse events and pasted text. It has no clock: the caller
/// calls `flush` if nothing follows an ESC for a while.
struct KeyDecoder {
    /// Longer escape sequences are ignored.
    private static let sequenceByteCountMax = 64
    /// Longer pastes are truncated, in bytes.
    static let pasteByteCountMax = 1 << 20

    private static let escape: UInt8 = 0x1B
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    /// Sequences of this terminal in addition to the common ones.
    private let sequences: [[UInt8]: Key]
    private var buffer: [UInt8] = []
    /// The text pasted so far, or nil outside of a paste.
    private var pasted: [UInt8]?
    private(set) var terminalBackground: Theme.Background?
    /// Whether it answered the query that every terminal answers (DA1).
    private(set) var hasIdentified = false

    init(sequences: [[UInt8]: Key] = [:]) { self.sequences = sequences }

    /// Whether there is an incomplete sequence that more bytes, or their absence, will resolve.
    var isWaiting: Bool { !buffer.isEmpty && pasted == nil }

    /// Decodes bytes together with earlier incomplete ones.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
        buffer += bytes
        var events: [InputEvent] = []
        while !buffer.isEmpty {
            if pasted != nil {
                guard let text = takePaste() else { break }
                events.append(.paste(text))
                continue
            }
            switch next() {
            case .incomplete: return events
            case .event(let event, let count):
                buffer.removeFirst(count)
                events.append(event)
            case .nothing(let count): buffer.removeFirst(count)
            case .pasteBegins(let count):
                buffer.removeFirst(count)
                pasted = []
            }
        }
        return events
    }

    /// Resolves an incomplete sequence: an ESC alone is the key, anything else is taken literally.
    mutating func flush() -> [InputEvent] {
        // An answer may arrive in pieces; its rest must not be taken for keys.
        guard isWaiting, !BackgroundAnswer.isBegun(buffer) else { return [] }
        defer { buffer = [] }
        guard buffer.first == KeyDecoder.escape else { return [] }
        if buffer.count == 2, let key = PlainKey.key(buffer[1]) { return [.key(key.adding(.alt))] }
        return buffer.count == 1 ? [.key(.escape)] : []
    }

    private enum Step {
        case event(InputEvent, Int)
        case nothing(Int)
        case pasteBegins(Int)
        case incomplete
    }

    private mutating func next() -> Step {
        guard let first = buffer.first else { return .incomplete }
        guard first == KeyDecoder.escape else { return plain(buffer[...], .init()) }
        if let step = ownSequence() { return step }
        guard buffer.count > 1 else { return .incomplete }
        switch buffer[1] {
        case UInt8(ascii: "["): return control()
        case UInt8(ascii: "]"): return answer()
        case UInt8(ascii: "O"): return singleShift()
        // The first ESC is the key, the second starts a sequence.
        case KeyDecoder.escape: return .event(.key(.escape), 1)
        default: return plain(buffer.dropFirst(), .alt)
        }
    }

    /// A sequence from the terminal's own description.
    private func ownSequence() -> Step? {
        var mayBecome = false
        for (sequence, key) in sequences {
            if buffer.starts(with: sequence) { return .event(.key(key), sequence.count) }
            if sequence.starts(with: buffer), buffer.count > 1 { mayBecome = true }
        }
        return mayBecome ? .incomplete : nil
    }

    private func plain(_ bytes: ArraySlice<UInt8>, _ modifiers: Key.Modifiers) -> Step {
        guard let first = bytes.first else { return .incomplete }
        let before = bytes.startIndex
        if let key = PlainKey.key(first) { return .event(.key(key.adding(modifiers)), before + 1) }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5 else { return .nothing(before + 1) }
        let part = bytes.prefix(length)
        let isBroken = part.dropFirst().contains { $0 & 0xC0 != 0x80 }
        if isBroken { return .nothing(before + 1) }
        guard part.count == length else { return .incomplete }
        guard let text = String(validating: part, as: UTF8.self), let character = text.first
        else { return .nothing(before + 1) }
        return .event(.key(Key(character, modifiers)), before + length)
    }

    /// `ESC ] …`: an answer, otherwise Alt and the typed characters.
    private mutating func answer() -> Step {
        switch BackgroundAnswer.read(buffer) {
        case .incomplete: return .incomplete
        case .none: return plain(buffer.dropFirst(), .alt)
        case .noise(let count): return .nothing(count)
        case .background(let terminalBackground, let count):
            self.terminalBackground = terminalBackground ?? self.terminalBackground
            return .nothing(count)
        }
    }

    /// `ESC O x`: keys in application mode.
    private func singleShift() -> Step {
        guard buffer.count > 2 else { return .incomplete }
        guard let key = ControlSequence.letterKey(buffer[2]) else { return .nothing(3) }
        return .event(.key(key), 3)
    }

    /// `ESC [ …`.
    private mutating func control() -> Step {
        guard buffer.count > 2 else { return .incomplete }
        // F1 to F5 of the Linux console, and the mouse of old terminals.
        if buffer[2] == UInt8(ascii: "[") {
            guard buffer.count > 3 else { return .incomplete }
            let number = Int(buffer[3]) - Int(UInt8(ascii: "A")) + 1
            return (1...5).contains(number) ? .event(.key(Key(.function(number))), 4) : .nothing(4)
        }
        if buffer[2] == UInt8(ascii: "M") {
            guard buffer.count > 5 else { return .incomplete }
            return .nothing(6)
        }
        // Bytes after the longest sequence do not affect those before: they may arrive separately.
        let longest = buffer.prefix(KeyDecoder.sequenceByteCountMax + 1)
        let last = longest.dropFirst(2).firstIndex { !(0x20..<0x40).contains($0) }
        guard let end = last else {
            let isNoise = longest.count > KeyDecoder.sequenceByteCountMax
            return isNoise ? .nothing(longest.count) : .incomplete
        }
        // An ESC inside a sequence starts another one.
        guard (0x40...0x7E).contains(buffer[end]) else { return .nothing(end) }
        let count = end + 1
        let body = buffer[2..<end]
        let sequence = ControlSequence(parameters: body, final: buffer[end])
        if sequence.isIdentification { hasIdentified = true }
        if sequence.isPasteBegin { return .pasteBegins(count) }
        return sequence.event.map { .event($0, count) } ?? .nothing(count)
    }

    /// Returns the pasted text once its end has arrived.
    private mutating func takePaste() -> String? {
        let end = KeyDecoder.pasteEnd
        let found = buffer.indices.first { buffer[$0...].starts(with: end) }
        // Bytes that may be the start of the end marker are kept.
        let ready = found ?? max(0, buffer.count - end.count + 1)
        let room = KeyDecoder.pasteByteCountMax - (pasted?.count ?? 0)
        pasted? += buffer.prefix(min(ready, max(0, room)))
        buffer.removeFirst(ready)
        guard found != nil else { return nil }
        buffer.removeFirst(end.count)
        defer { pasted = nil }
        return String(decoding: pasted ?? [], as: UTF8.self)
    }
}

extension Key {
    func adding(_ modifiers: Modifiers) -> Key { Key(code, self.modifiers.union(modifiers)) }
}

/// Interprets a sequence `ESC [ parameters final`.
struct ControlSequence {
    private let prefix: UInt8?
    private let numbers: [Int]
    private let final: UInt8

    init(parameters: ArraySlice<UInt8>, final: UInt8) {
        self.final = final
        let hasPrefix = parameters.first.map { (0x3C...0x3F).contains($0) } ?? false
        prefix = hasPrefix ? parameters.first : nil
        let text = String(decoding: hasPrefix ? parameters.dropFirst() : parameters, as: UTF8.self)
        numbers = text.split(separator: ";", omittingEmptySubsequences: false).map {
            Int($0.prefix { $0 != ":" }.prefix(9)) ?? 1
        }
    }

    /// The answer to `ESC [ c` (DA1), which identifies the terminal.
    var isIdentification: Bool { prefix == UInt8(ascii: "?") && final == UInt8(ascii: "c") }

    var isPasteBegin: Bool { final == UInt8(ascii: "~") && numbers.first == 200 }

    var event: InputEvent? {
        if prefix == UInt8(ascii: "<") { return mouse.map(InputEvent.mouse) }
        guard prefix == nil, let key else { return nil }
        return .key(key.adding(modifiers))
    }

    /// The key of a letter after `ESC [` or `ESC O`.
    static func letterKey(_ letter: UInt8) -> Key? {
        switch letter {
        case UInt8(ascii: "A"): Key(.up)
        case UInt8(ascii: "B"): Key(.down)
        case UInt8(ascii: "C"): Key(.right)
        case UInt8(ascii: "D"): Key(.left)
        case UInt8(ascii: "H"): Key(.home)
        case UInt8(ascii: "F"): Key(.end)
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "P")...UInt8(ascii: "S"):
            Key(.function(Int(letter - UInt8(ascii: "P")) + 1))
        case UInt8(ascii: "Z"): .backtab
        default: nil
        }
    }

    private var key: Key? {
        switch final {
        case UInt8(ascii: "~"): return numbers.first.flatMap(ControlSequence.numberedKey)
        // A character by its code point, for terminals that report keys in this form.
        case UInt8(ascii: "u"):
            guard let number = numbers.first.flatMap(UInt32.init) else { return nil }
            if number < 0x80 {
                return number == 0x1B ? .escape : PlainKey.key(UInt8(truncatingIfNeeded: number))
            }
            return Unicode.Scalar(number).map { Key(Character($0)) }
        // A terminal's answers look similar, but start with other numbers.
        default: return numbers.first ?? 1 <= 1 ? ControlSequence.letterKey(final) : nil
        }
    }

    private static func numberedKey(_ number: Int) -> Key? {
        switch number {
        case 1, 7: Key(.home)
        case 2: Key(.insert)
        case 3: Key(.delete)
        case 4, 8: Key(.end)
        case 5: Key(.pageUp)
        case 6: Key(.pageDown)
        case 11...15: Key(.function(number - 10))
        case 17...21: Key(.function(number - 11))
        case 23, 24: Key(.function(number - 12))
        default: nil
        }
    }

    private var modifiers: Key.Modifiers {
        guard numbers.count > 1, (2...16).contains(numbers[1]) else { return [] }
        let bits = numbers[1] - 1
        var modifiers: Key.Modifiers = []
        if bits & 1 != 0 { modifiers.insert(.shift) }
        if bits & 2 != 0 { modifiers.insert(.alt) }
        if bits & 4 != 0 { modifiers.insert(.control) }
        return modifiers
    }

    /// `< button ; column ; row` with M for press and m for release.
    private var mouse: MouseEvent? {
        let isPress = final == UInt8(ascii: "M")
        guard numbers.count == 3, isPress || final == UInt8(ascii: "m") else { return nil }
        let position = Position(column: numbers[1] - 1, row: numbers[2] - 1)
        let code = numbers[0]
        if code & 64 != 0 {
            guard isPress, code & 3 < 2 else { return nil }
            let kind: MouseEvent.Kind = code & 1 == 0 ? .scrollUp : .scrollDown
            return MouseEvent(kind: kind, position: position)
        }
        let buttons: [MouseEvent.Button] = [.left, .middle, .right, .none]
        let kind: MouseEvent.Kind = code & 32 != 0 ? .drag : isPress ? .press : .release
        return MouseEvent(kind: kind, button: buttons[code & 3], position: position)
    }
}

enum PlainKey {
    /// The key of an ASCII byte, or nil for ESC and non-ASCII bytes.
    static func key(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x00: Key(" ", .control)
        case 0x08, 0x7F: Key(.backspace)
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x01...0x1A: .control(character(byte + 0x60))
        case 0x1C...0x1F: .control(character(byte + 0x40))
        case 0x20...0x7E: Key(character(byte))
        default: nil
        }
    }

    private static func character(_ byte: UInt8) -> Character { Character(Unicode.Scalar(byte)) }
}

/// The terminal's answer to the query for its background colour: `ESC ] 11 ; rgb:… BEL`, or `ESC \`
/// at its end. It may arrive late and in pieces.
enum BackgroundAnswer {
    case incomplete
    /// It is not an answer: Alt and `]`, followed by keys.
    case none
    /// An answer that broke off, with its length in bytes.
    case noise(Int)
    /// A complete answer, with its length in bytes; nil if its colour cannot be parsed.
    case background(Theme.Background?, Int)

    private static let beginning = Array("\u{1B}]11;".utf8)
    private static let byteCountMax = 64

    /// Whether the bytes start an answer: at least `ESC ]`, which no action uses.
    static func isBegun(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 1, case .incomplete = read(bytes) else { return false }
        return true
    }

    static func read(_ bytes: [UInt8]) -> BackgroundAnswer {
        let shared = min(bytes.count, beginning.count)
        guard bytes.prefix(shared) == beginning.prefix(shared) else { return .none }
        for (index, byte) in bytes.enumerated().dropFirst(beginning.count) {
            let text = bytes[beginning.count - 3..<index]
            switch byte {
            case 0x07: return .background(TerminalBackground.background(answer: text), index + 1)
            case 0x1B:
                guard bytes.count > index + 1 else { return .incomplete }
                guard bytes[index + 1] == UInt8(ascii: "\\") else { return .noise(index) }
                return .background(TerminalBackground.background(answer: text), index + 2)
            default:
                if !isText(byte) || index > byteCountMax { return .noise(index) }
            }
        }
        return .incomplete
    }

    /// The characters of an answer: `rgb:ffff/ffff/ffff`.
    private static func isText(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "r"), UInt8(ascii: "g"),
            UInt8(ascii: ":"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
