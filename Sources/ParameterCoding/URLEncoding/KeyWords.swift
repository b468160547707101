/// Splits camel-case names into words.
enum KeyWords {
    /// The words in lower case, joined by a separator. A run of capitals is one word, except that
    /// its last letter starts the next word if a lower-case letter follows: `myURLValue` has the
    /// words `my`, `url` and `value`.
    static func joined(_ name: String, by separator: Unicode.Scalar) -> String {
        let scalars = Array(name.unicodeScalars)
        var joined = ""
        for (index, scalar) in scalars.enumerated() {
            if index > 0, scalar.properties.isUppercase {
                let previous = scalars[index - 1]
                let next = index + 1 < scalars.count ? scalars[index + 1] : nil
                let endsAcronym =
                    previous.properties.isUppercase && next?.properties.isLowercase == true
                let endsWord = !previous.properties.isUppercase && isWordPart(previous)
                if endsAcronym || endsWord { joined.unicodeScalars.append(separator) }
            }
            joined += scalar.properties.lowercaseMapping
        }
        return joined
    }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
