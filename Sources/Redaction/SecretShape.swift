internal import ProxydParameterCoding

/// Credentials that are recognisable without a name.
enum SecretShape {
    private static let byteCountMin = 16

    /// A prefix of a service's keys.
    private struct Prefix {
        let text: StaticString
        /// The minimum number of bytes that follow it.
        let rest: Int
        /// Whether only letters and digits follow.
        let isPlain: Bool
    }

    /// By their first byte.
    private static let prefixes: [UInt8: [Prefix]] = {
        let plain: [(StaticString, Int)] = [
            ("AKIA", 16), ("ASIA", 16), ("ghp_", 20), ("gho_", 20), ("ghu_", 20), ("ghs_", 20),
            ("ghr_", 20), ("npm_", 30), ("hf_", 24), ("dapi", 30), ("dop_v1_", 32),
            ("shpat_", 20), ("shpss_", 20), ("shpca_", 20), ("sk_live_", 10), ("sk_test_", 10),
            ("rk_live_", 10), ("rk_test_", 10), ("whsec_", 16), ("gsk_", 30), ("r8_", 30),
            ("rubygems_", 30), ("xai-", 30), ("ntn_", 30), ("phx_", 30), ("figd_", 30),
        ]
        let others: [(StaticString, Int)] = [
            ("github_pat_", 20), ("glpat-", 16), ("gldt-", 16), ("glrt-", 16), ("glptt-", 16),
            ("gloas-", 16), ("xoxa-", 10), ("xoxb-", 10), ("xoxe-", 10), ("xoxe.", 10),
            ("xoxo-", 10), ("xoxp-", 10), ("xoxr-", 10), ("xoxs-", 10), ("xapp-", 10),
            ("sk-", 20), ("SG.", 30), ("AIza", 30), ("ya29.", 20), ("GOCSPX-", 20), ("pypi-", 30),
            ("hvs.", 20), ("hvb.", 20), ("glsa_", 20), ("lin_api_", 20), ("sntrys_", 20),
            ("pplx-", 20), ("dckr_pat_", 20), ("ATATT3", 30), ("PMAK-", 20), ("sq0atp-", 20),
            ("xkeysib-", 30), ("sbp_", 30), ("sb_secret_", 20), ("pscale_pw_", 20),
            ("tskey-", 20), ("nfp_", 30), ("dp.pt.", 30), ("CFPAT-", 20), ("EZAK", 40),
            ("AGE-SECRET-KEY-1", 40),
        ]
        let all =
            plain.map { Prefix(text: $0.0, rest: $0.1, isPlain: true) }
            + others.map { Prefix(text: $0.0, rest: $0.1, isPlain: false) }
        return Dictionary(grouping: all, by: { $0.text.utf8Start[0] })
    }()

    /// The bytes that a key may consist of, from a place in a token on, and what is known about
    /// them, so that no byte is examined again for each place before it.
    private struct Run {
        let end: Int
        /// The last three digits, and the last two dots, by their places.
        private(set) var digits: [Int] = []
        private(set) var dots: [Int] = []

        init(_ bytes: Span<UInt8>, from start: Int, to limit: Int) {
            end = TextBytes.skip(bytes, start, most: limit - start) {
                TextBytes.isLetterOrDigit($0) || "_-.".utf8.contains($0)
            }
            var index = end
            while index > start, digits.count < 3 || dots.count < 2 {
                index -= 1
                if TextBytes.isDigit(bytes[index]), digits.count < 3 { digits.append(index) }
                if bytes[index] == UInt8(ascii: "."), dots.count < 2 { dots.append(index) }
            }
        }

        func hasDigits(_ count: Int, from start: Int) -> Bool {
            digits.count >= count && digits[count - 1] >= start
        }

        func hasDots(_ count: Int, from start: Int) -> Bool {
            dots.count >= count && dots[count - 1] >= start
        }
    }

    /// The credential in a token, which is a run of letters, digits and `_-.[]$`.
    static func range(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        if TextBytes.equals(bytes, token, "services") { return webhook(bytes, token) }
        if token.count < byteCountMin { return shortMark(bytes, token) ?? bot(bytes, token) }
        var isBoundary = true
        var run: Run?
        for index in token {
            defer { isBoundary = !TextBytes.isLetterOrDigit(bytes[index]) }
            if bytes[index] == UInt8(ascii: "-"),
                let key = mark(bytes, index..<token.upperBound)
            {
                return key
            }
            guard isBoundary else { continue }
            guard token.upperBound - index >= byteCountMin else { break }
            let isToken = TextBytes.begins(bytes, index, "eyJ")
            let prefix = prefixes[bytes[index]]?.first { TextBytes.begins(bytes, index, $0.text) }
            guard isToken || prefix != nil else { continue }
            if run.map({ $0.end <= index }) ?? true {
                run = Run(bytes, from: index, to: token.upperBound)
            }
            // A JSON Web Token has three parts (RFC 7515), five if it is encrypted (RFC 7516).
            if isToken, let run, run.hasDots(2, from: index), run.end - index >= 32 {
                return index..<run.end
            }
            if let prefix, let run, let end = end(bytes, of: prefix, index, run) {
                return index..<end
            }
        }
        return nil
    }

    /// The end of a key that starts like one, or nil: `sk-card__content` has no digits.
    private static func end(
        _ bytes: Span<UInt8>, of prefix: Prefix, _ start: Int, _ run: Run
    ) -> Int? {
        let rest = start + prefix.text.utf8CodeUnitCount
        guard prefix.isPlain else {
            return run.end - rest >= prefix.rest && run.hasDigits(3, from: rest) ? run.end : nil
        }
        let end = TextBytes.skip(bytes, rest, most: 512, while: TextBytes.isLetterOrDigit)
        let hasDigit = (rest..<end).contains { TextBytes.isDigit(bytes[$0]) }
        return end - rest >= prefix.rest && hasDigit ? end : nil
    }

    private static func shortMark(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        for index in token where bytes[index] == UInt8(ascii: "-") {
            if let key = mark(bytes, index..<token.upperBound) { return key }
        }
        return nil
    }

    /// A private key in PEM format (RFC 7468), including its marks.
    private static func mark(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        let dashes = token.lowerBound
        guard
            TextBytes.begins(bytes, dashes, "---- BEGIN")
                || TextBytes.begins(bytes, dashes, "-----BEGIN")
        else { return nil }
        let label = TextBytes.skip(bytes, dashes + 10, most: 64) {
            $0 == 0x20 || $0 &- 0x41 < 26 || TextBytes.isDigit($0)
        }
        let text = SecretFinder.text(bytes, dashes..<label)
        guard text.contains("PRIVATE KEY") else { return nil }
        var end = label
        while end < bytes.count, !TextBytes.begins(bytes, end, "---- END"),
            !TextBytes.begins(bytes, end, "-----END")
        {
            end += 1
        }
        let rest = TextBytes.skip(bytes, end, most: 64) {
            $0 == 0x20 || $0 == 0x2D || $0 &- 0x41 < 26 || TextBytes.isDigit($0)
        }
        return dashes..<rest
    }

    /// The path of a Slack webhook, which is its key: `services/T…/B…/…`.
    private static func webhook(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        guard TextBytes.begins(bytes, token.upperBound, "/T") else { return nil }
        let start = token.upperBound + 1
        let end = TextBytes.skip(bytes, start, most: 256) {
            TextBytes.isLetterOrDigit($0) || $0 == UInt8(ascii: "/")
        }
        let parts = TextBytes.copy(bytes, start..<end).split(separator: UInt8(ascii: "/"))
        let isNamed = parts.prefix(2).allSatisfy { part in
            part.allSatisfy { $0 &- 0x41 < 26 || TextBytes.isDigit($0) }
        }
        return parts.count == 3 && isNamed && end - start > 30 ? start..<end : nil
    }

    /// The key of a Telegram bot: `bot123456789:…`.
    private static func bot(_ bytes: Span<UInt8>, _ token: Range<Int>) -> Range<Int>? {
        guard TextBytes.begins(bytes, token.lowerBound, "bot"), token.count >= 9,
            (token.lowerBound + 3..<token.upperBound).allSatisfy({ TextBytes.isDigit(bytes[$0]) }),
            token.upperBound < bytes.count, bytes[token.upperBound] == UInt8(ascii: ":")
        else { return nil }
        let start = token.upperBound + 1
        let end = TextBytes.skip(bytes, start, most: 256, while: TextBytes.isName)
        return end - start >= 30 ? token.lowerBound + 3..<end : nil
    }

    /// Whether bytes are valid after `Basic`: Base64 of a name, a colon and a password.
    static func isBasic(_ value: Span<UInt8>) -> Bool {
        guard value.count >= 4 else { return false }
        let whole = value.extracting(0..<value.count / 4 * 4)
        let text = whole.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return Base64.bytes(text)?.contains(UInt8(ascii: ":")) ?? false
    }
}
