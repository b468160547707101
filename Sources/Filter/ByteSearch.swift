/// Searches for one byte string in another, ignoring the case of ASCII letters, in linear time
/// (Knuth–Morris–Pratt).
package struct ByteSearch: Sendable, Hashable {
    /// The bytes to search for, with ASCII letters in lower case.
    package let needle: [UInt8]
    /// The KMP failure table: for each matched length, the length that still matches if the next
    /// byte differs.
    private let fallback: [Int]

    package init(_ text: String) {
        needle = text.utf8.map(ByteSearch.lowercased)
        var table = Array(repeating: 0, count: needle.count)
        var matched = 0
        for index in needle.indices.dropFirst() {
            while matched > 0, needle[matched] != needle[index] { matched = table[matched - 1] }
            if needle[matched] == needle[index] { matched += 1 }
            table[index] = matched
        }
        fallback = table
    }

    /// The needle as text, for use as the argument of an SQL statement.
    package var needleText: String { String(decoding: needle, as: UTF8.self) }

    package func isFound(in text: Span<UInt8>) -> Bool {
        guard !needle.isEmpty else { return true }
        var matched = 0
        for index in text.indices {
            let byte = ByteSearch.lowercased(text[index])
            while matched > 0, needle[matched] != byte { matched = fallback[matched - 1] }
            if needle[matched] == byte { matched += 1 }
            if matched == needle.count { return true }
        }
        return false
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
