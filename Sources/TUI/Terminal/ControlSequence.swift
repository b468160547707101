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
