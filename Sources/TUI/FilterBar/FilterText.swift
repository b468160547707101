internal import ProxydFilter

/// Pieces of filters that are not typed but made.
enum FilterText {
    /// A value as the filter language wants it: in quotes where it has to be.
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

    /// A text that a regular expression takes as it is.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "\\.+*?()|[]{}^$".unicodeScalars.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// A filter with more that has to be so.
    static func narrowed(_ filter: Filter, by terms: [String]) -> String {
        ((filter.matchesEverything ? [] : ["(\(filter.text))"]) + terms).joined(separator: " ")
    }
}
