internal import ProxydHTTPModel

/// What a text is held against.
package enum FilterTextMatch: Sendable {
    /// Contains, ASCII letters in any case.
    case contains(ByteSearch)
    /// Is octet for octet.
    case equals(String)
    /// Is the same host: letters in any case, with or without a final dot. The name is canonical.
    case isHost(String)
    /// Matches somewhere.
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

    /// Octets, not characters: String's own `==` joins different spellings of é.
    private static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
