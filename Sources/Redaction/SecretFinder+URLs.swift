internal import ProxydHTTPModel

/// Users and passwords in URLs and similar addresses.
extension SecretFinder {
    /// How far passwords with unusual characters are searched for.
    private static let byteCountMax = 512

    /// The `user:password` that starts after `//`, or ends at `@`.
    func user(_ bytes: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard names.knowsMore else { return nil }
        guard bytes[index] == UInt8(ascii: "/") else { return userOfAddress(bytes, before: index) }
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "/") else { return nil }
        let hasScheme = index > 0 && bytes[index - 1] == UInt8(ascii: ":")
        return hasScheme
            ? userOfURL(bytes, from: index + 2) : userWithoutScheme(bytes, from: index + 2)
    }

    /// The user of a URL (RFC 3986 §3.2.1): everything before the last `@` of the authority or, if
    /// what looks like a port is not a number, before the last `@` of all: people forget to encode
    /// the `/` in a password.
    private func userOfURL(_ bytes: Span<UInt8>, from start: Int) -> Range<Int>? {
        let end = TextBytes.skip(bytes, start) { !Self.endsAuthority($0) }
        if let at = lastAt(bytes, start..<end) {
            return TextBytes.equals(bytes, start..<at, "git") ? nil : start..<at
        }
        guard end < bytes.count,
            bytes[end] == UInt8(ascii: "/") || bytes[end] == 0x23
                || bytes[end] == UInt8(ascii: "?"),
            let colon = (start..<end).first(where: { bytes[$0] == UInt8(ascii: ":") }),
            colon > start, bytes[start] != UInt8(ascii: "["),
            (colon + 1..<end).contains(where: { !TextBytes.isDigit(bytes[$0]) })
        else { return nil }
        let far = TextBytes.skip(bytes, end, most: Self.byteCountMax) {
            !TextBytes.isSpace($0) && !TextBytes.isQuote($0) && $0 != 0x3C && $0 != 0x3E
        }
        // `/@name` is a path.
        guard let at = lastAt(bytes, end..<far), bytes[at - 1] != UInt8(ascii: "/") else {
            return nil
        }
        return start..<at
    }

    /// `//user:password@host`, at the start of a word.
    private func userWithoutScheme(_ bytes: Span<UInt8>, from start: Int) -> Range<Int>? {
        if start > 2, TextBytes.isLetterOrDigit(bytes[start - 3]) || bytes[start - 3] == 0x2F {
            return nil
        }
        let end = TextBytes.skip(bytes, start, most: Self.byteCountMax) { !Self.endsAuthority($0) }
        guard let at = lastAt(bytes, start..<end), at > start,
            (start..<at).contains(where: { bytes[$0] == UInt8(ascii: ":") })
        else { return nil }
        return start..<at
    }

    /// `user:password@` of an address without `//`: before `tcp(`, as Go names databases, or before
    /// a host with a port or a path.
    private func userOfAddress(_ bytes: Span<UInt8>, before at: Int) -> Range<Int>? {
        guard isHost(bytes, from: at + 1) else { return nil }
        let start = TextBytes.skipBack(bytes, at, most: Self.byteCountMax) {
            !TextBytes.isSpace($0) && !TextBytes.isQuote($0) && !"/=<>,;()".utf8.contains($0)
        }
        guard let colon = (start..<at).first(where: { bytes[$0] == UInt8(ascii: ":") }),
            colon > start, colon + 1 < at, !isPrefix(bytes.extracting(start..<colon)),
            (start..<colon).contains(where: { !TextBytes.isDigit(bytes[$0]) })
        else { return nil }
        return start..<at
    }

    /// Words before a colon that are not users.
    private func isPrefix(_ word: Span<UInt8>) -> Bool {
        let words: [StaticString] = [
            "mailto", "acct", "xmpp", "sip", "sips", "cid", "mid", "npm", "jsr", "pkg", "github",
            "workspace", "email", "mail", "to", "cc", "bcc", "from", "tel", "note", "urn",
        ]
        return words.contains { ASCII.equalsIgnoringCase(word, $0) }
    }

    private func isHost(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        let end = TextBytes.skip(bytes, start, most: 255) {
            TextBytes.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                || $0 == UInt8(ascii: "_")
        }
        guard end > start, end < bytes.count else { return false }
        // Container images have a digest there.
        if TextBytes.begins(bytes, start, "sha256:") || TextBytes.begins(bytes, start, "sha512:") {
            return false
        }
        switch bytes[end] {
        case UInt8(ascii: "("), UInt8(ascii: "/"): return true
        case UInt8(ascii: ":"): return end + 1 < bytes.count && TextBytes.isDigit(bytes[end + 1])
        default: return false
        }
    }

    private func lastAt(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        range.last { bytes[$0] == UInt8(ascii: "@") }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"),
            UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"):
            true
        default: false
        }
    }
}
