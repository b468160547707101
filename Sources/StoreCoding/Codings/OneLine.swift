/// Makes texts safe to embed in the JSON that the SQL views write, where little is escaped.
package enum OneLine {
    /// Returns the text with control characters replaced by spaces.
    package static func text(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// Returns at most the first `byteCountMax` bytes, with control characters replaced by spaces.
    package static func text(_ text: String, byteCountMax: Int) -> String {
        OneLine.text(text.beginning(byteCountMax: byteCountMax))
    }
}

extension String {
    /// Returns the longest prefix that takes at most `byteCountMax` bytes in UTF-8.
    package func beginning(byteCountMax: Int) -> String {
        guard utf8.count > byteCountMax else { return self }
        var byteCount = 0
        let fitting = unicodeScalars.prefix { scalar in
            byteCount += UTF8.width(scalar)
            return byteCount <= byteCountMax
        }
        return String(fitting)
    }
}
