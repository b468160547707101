/// What the terminal draws on, as it tells by itself (OSC 11) or by its environment.
enum PaperColour {
    /// Asks for the background's colour. Every terminal answers what comes after it (DA1), so
    /// that the answer is known not to come any more.
    static let question = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

    /// The answer's text between `ESC ]` and its end: `11;rgb:ffff/ffff/ffff`; nil for another.
    static func paper(answer: some Sequence<UInt8>) -> Theme.Paper? {
        let text = String(decoding: Array(answer), as: UTF8.self)
        for kind in ["11;rgb:", "11;rgba:"] where text.hasPrefix(kind) {
            let shares = text.dropFirst(kind.count).split(separator: "/").prefix(3).map(share)
            guard shares.count == 3, let red = shares[0], let green = shares[1],
                let blue = shares[2]
            else { return nil }
            // Black and white letters are equally easy to read on a luminance of 0.18.
            let colour = XtermColour(red: red, green: green, blue: blue)
            return colour.luminance > 0.18 ? .light : .dark
        }
        return nil
    }

    /// What `COLORFGBG` says: `0;15` or `0;default;15`, the background last. nil where it says
    /// nothing.
    static func paper(environment value: String?) -> Theme.Paper? {
        guard let last = value?.split(separator: ";").last, let number = Int(last),
            (0..<16).contains(number)
        else { return nil }
        // 8 is dark grey, 7 light grey.
        return number < 7 || number == 8 ? .dark : .light
    }

    /// One to four hexadecimal digits as a share of the whole.
    private static func share(_ digits: Substring) -> Double? {
        guard (1...4).contains(digits.count), let value = UInt32(digits, radix: 16) else {
            return nil
        }
        return Double(value) / Double((UInt32(1) << (4 * UInt32(digits.count))) - 1)
    }
}
