internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Credentials that show what they are without a name.
enum SecretShape {
    private static let byteCountMin = 16

    /// A prefix that a service gives its keys, and how many bytes follow it at least.
    private struct Prefix {
        let text: StaticString
        let rest: Int
    }

    /// By their first byte.
    private static let prefixes: [UInt8: [Prefix]] = {
        let all: [(StaticString, Int)] = [
            ("AKIA", 16), ("ASIA", 16), ("ghp_", 20), ("gho_", 20), ("ghu_", 20), ("ghs_", 20),
            ("ghr_", 20), ("github_pat_", 20), ("glpat-", 16), ("gldt-", 16), ("glrt-", 16),
            ("xoxa-", 10), ("xoxb-", 10), ("xoxe-", 10), ("xoxe.", 10), ("xoxo-", 10),
            ("xoxp-", 10), ("xoxr-", 10), ("xoxs-", 10), ("xapp-", 10), ("sk_live_", 10),
            ("sk_test_", 10), ("rk_live_", 10), ("rk_test_", 10), ("whsec_", 16), ("sk-", 20),
            ("AIza", 30), ("ya29.", 20), ("GOCSPX-", 20), ("npm_", 30), ("pypi-", 30),
            ("dop_v1_", 32), ("SG.", 30), ("hf_", 24), ("shpat_", 20), ("shpss_", 20),
            ("hvs.", 20), ("hvb.", 20), ("dapi", 30), ("glsa_", 20), ("lin_api_", 20),
            ("sntrys_", 20), ("AGE-SECRET-KEY-1", 40), ("ntn_", 30), ("eyJ", 20),
        ]
        return Dictionary(
            grouping: all.map { Prefix(text: $0.0, rest: $0.1) }, by: { $0.text.utf8Start[0] })
    }()

    /// The credential in a token, which is a run of letters, digits and `_-.[]$`.
    static func range(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        if TextBytes.begins(bytes, token.lowerBound, "-----BEGIN") {
            return privateKey(bytes, token)
        }
        if TextBytes.equals(bytes, token, "services") { return webhook(bytes, token) }
        guard token.count >= byteCountMin else { return bot(bytes, token) }
        var isBoundary = true
        for index in token {
            defer { isBoundary = !TextBytes.isLetterOrDigit(bytes[index]) }
            guard isBoundary, let possible = prefixes[bytes[index]] else { continue }
            for prefix in possible where TextBytes.begins(bytes, index, prefix.text) {
                if let end = end(bytes, of: prefix, index..<token.upperBound) {
                    return index..<end
                }
            }
        }
        return nil
    }

    /// The end of a key that starts like one; nil if it is something else.
    private static func end(
        _ bytes: Span<UInt8>, of prefix: Prefix, _ token: Range<Int>
    ) -> Int? {
        let start = token.lowerBound + prefix.text.utf8CodeUnitCount
        let end = TextBytes.skip(bytes, start, most: token.upperBound - start) {
            TextBytes.isLetterOrDigit($0) || "_-.".utf8.contains($0)
        }
        guard end - start >= prefix.rest else { return nil }
        if prefix.text.utf8CodeUnitCount == 3, TextBytes.begins(bytes, token.lowerBound, "eyJ") {
            // A JSON Web Token: three parts (RFC 7515), five if it is encrypted (RFC 7516).
            let dots = (start..<end).filter { bytes[$0] == UInt8(ascii: ".") }
            return dots.count >= 2 ? end : nil
        }
        // Words such as `sk-toggleable__content` have no digits.
        return (start..<end).contains { TextBytes.isDigit(bytes[$0]) } ? end : nil
    }

    /// A private key in the format of PEM (RFC 7468), its marks included.
    private static func privateKey(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        let label = TextBytes.skip(bytes, token.lowerBound + 10, most: 64) {
            $0 == 0x20 || $0 &- 0x41 < 26 || TextBytes.isDigit($0)
        }
        let text = bytes.extracting(token.lowerBound..<label).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
        guard text.contains("PRIVATE KEY") else { return nil }
        var end = label
        while end < bytes.count, !TextBytes.begins(bytes, end, "-----END") { end += 1 }
        let rest = TextBytes.skip(bytes, end, most: 64) {
            $0 == 0x20 || $0 == 0x2D || $0 &- 0x41 < 26 || TextBytes.isDigit($0)
        }
        return token.lowerBound..<rest
    }

    /// The path of a webhook of Slack, which is its key: `services/T…/B…/…`.
    private static func webhook(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        guard TextBytes.begins(bytes, token.upperBound, "/T") else { return nil }
        let start = token.upperBound + 1
        let end = TextBytes.skip(bytes, start, most: 256) {
            TextBytes.isLetterOrDigit($0) || $0 == UInt8(ascii: "/")
        }
        let parts = (start..<end).count { bytes[$0] == UInt8(ascii: "/") }
        return parts == 2 && end - start > 30 ? start..<end : nil
    }

    /// The key of a bot of Telegram: `bot123456789:…`.
    private static func bot(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        guard TextBytes.begins(bytes, token.lowerBound, "bot"), token.count >= 9,
            (token.lowerBound + 3..<token.upperBound).allSatisfy({ TextBytes.isDigit(bytes[$0]) }),
            token.upperBound < bytes.count, bytes[token.upperBound] == UInt8(ascii: ":")
        else { return nil }
        let start = token.upperBound + 1
        let end = TextBytes.skip(bytes, start, while: TextBytes.isName)
        return end - start >= 30 ? token.lowerBound + 3..<end : nil
    }

    /// Whether bytes are what follows `Basic`: Base64 of a name, a colon and a password.
    static func isBasic(_ value: Span<UInt8>) -> Bool {
        guard value.count >= 4 else { return false }
        let whole = value.extracting(0..<value.count / 4 * 4)
        let text = whole.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return Base64.bytes(text)?.contains(UInt8(ascii: ":")) ?? false
    }
}
