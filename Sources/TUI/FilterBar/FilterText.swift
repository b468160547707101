internal import ProxydFilter

/// Builds parts of filters.
enum FilterText {
    /// A value in the syntax of the filter language, in quotes if necessary.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "./-_^".utf8.contains($0)
            }
        }
        guard !isPlain || text.isEmpty else { return text }
        let inner = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(inner)\""
    }

    /// A text escaped for a regular expression.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "\\.+*?()|[]{}^$".unicodeScalars.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// A filter with additional required terms; terms it already has are not repeated.
    static func narrowed(_ filter: Filter, by terms: [String]) -> String {
        guard !filter.matchesEverything else { return terms.joined(separator: " ") }
        let former = filter.isAlternative ? "(\(filter.text))" : filter.text
        let parts = parts(of: former)
        // A term that is negated is not one that the filter requires.
        let known = zip([""] + parts, parts).filter { !["not", "!"].contains($0.0.lowercased()) }
            .map(\.1)
        return ([former] + terms.filter { !known.contains($0) }).joined(separator: " ")
    }

    /// The top-level terms of a filter, outside of parentheses and quotes.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == " ", depth == 0, !isQuoted {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "(" where !isQuoted: depth += 1
            case ")" where !isQuoted: depth -= 1
            default: break
            }
        }
        return parts
    }
}
