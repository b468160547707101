internal import ProxydHTTPModel

/// How a text is compared.
package enum FilterTextMatch: Sendable {
    /// The text contains the needle; ASCII letters match in either case.
    case contains(ByteSearch)
    /// The text is equal byte for byte.
    case equals(String)
    /// The text is the same host: case is ignored, and a final dot is optional. The name is
    /// canonical.
    case isHost(String)
    /// The regular expression matches somewhere in the text.
    case regex(LinearRegex)

    func holds(for text: String) -> Bool { holds(for: text.utf8.span) }

    func holds(for text: Span<UInt8>) -> Bool {
        switch self {
        case .contains(let search): return search.isFound(in: text)
        case .equals(let wanted): return FilterTextMatch.areEqual(wanted.utf8.span, text)
        case .isHost(let wanted): return HostName.areSame(wanted.utf8.span, text)
        case .regex(let regex): return regex.matches(text)
        }
    }

    /// Compares bytes, not characters: String's own `==` treats different encodings of é as equal.
    private static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
