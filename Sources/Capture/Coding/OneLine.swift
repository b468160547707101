/// Texts that the views write as JSON, where there is little to escape.
enum OneLine {
    /// A text with blanks for control characters.
    static func text(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// The beginning of a text, `byteCountMax` bytes at most, with blanks for control characters.
    static func text(_ text: String, byteCountMax: Int) -> String {
        OneLine.text(text.beginning(byteCountMax: byteCountMax))
    }
}

extension String {
    /// The longest beginning that takes no more than `byteCountMax` bytes of UTF-8.
    func beginning(byteCountMax: Int) -> String {
        guard utf8.count > byteCountMax else { return self }
        var byteCount = 0
        let fitting = unicodeScalars.prefix { scalar in
            byteCount += UTF8.width(scalar)
            return byteCount <= byteCountMax
        }
        return String(fitting)
    }
}
