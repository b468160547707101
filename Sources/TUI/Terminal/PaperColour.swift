/// The terminal's background, as reported by itself (OSC 11) or by the environment.
enum PaperColour {
    /// Queries the background colour. Every terminal answers the DA1 query after it, which shows
    /// when no answer to the first will come.
    static let question = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

    /// Parses an answer without `ESC ]` and its end, such as `11;rgb:ffff/ffff/ffff`; returns nil
    /// for other answers.
    static func paper(answer: some Sequence<UInt8>) -> Theme.Paper? {
        let text = String(decoding: Array(answer), as: UTF8.self)
        for kind in ["11;rgb:", "11;rgba:"] where text.hasPrefix(kind) {
            let shares = text.dropFirst(kind.count).split(separator: "/").prefix(3).map(share)
            guard shares.count == 3, let red = shares[0], let green = shares[1],
                let blue = shares[2]
            else { return nil }
            // Black and white text are equally readable on a luminance of 0.18.
            let colour = XtermColour(red: red, green: green, blue: blue)
            return colour.luminance > 0.18 ? .light : .dark
        }
        return nil
    }

    /// Parses `COLORFGBG`: `0;15` or `0;default;15`, with the background last. Returns nil if it
    /// does not specify one.
    static func paper(environment value: String?) -> Theme.Paper? {
        guard let last = value?.split(separator: ";").last, let number = Int(last),
            (0..<16).contains(number)
        else { return nil }
        // 8 is dark grey, 7 light grey.
        return number < 7 || number == 8 ? .dark : .light
    }

    /// One to four hexadecimal digits as a fraction of the maximum.
    private static func share(_ digits: Substring) -> Double? {
        guard (1...4).contains(digits.count), let value = UInt32(digits, radix: 16) else {
            return nil
        }
        return Double(value) / Double((UInt32(1) << (4 * UInt32(digits.count))) - 1)
    }
}
