internal import ProxydHTTPModel

/// Parses challenges (RFC 9110 §11.6.1). Commas separate both parameters and challenges: a token
/// followed by `=` is a parameter; any other token starts the next challenge.
struct ChallengeParser {
    private let octets: [UInt8]
    private var index = 0

    /// More challenges than any server has reason to send.
    private static let challengeCountMax = 64
    private static let parameterCountMax = 256

    init(_ octets: some Collection<UInt8>) { self.octets = Array(octets) }

    mutating func challenges() -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var parameterCount = 0
        while skipSeparators(), challenges.count <= ChallengeParser.challengeCountMax,
            parameterCount <= ChallengeParser.parameterCountMax
        {
            let name = takeToken()
            guard !name.isEmpty else {
                skipToComma()
                continue
            }
            if let value = takeParameterValue() {
                guard !challenges.isEmpty else { continue }
                challenges[challenges.count - 1].parameters.append(
                    HTTPChallenge.Parameter(name: ASCII.text(name), value: value))
                parameterCount += 1
            } else {
                var challenge = HTTPChallenge(scheme: ASCII.text(name))
                challenge.token68 = takeToken68()
                challenges.append(challenge)
            }
        }
        return challenges
    }

    private var octet: UInt8? { index < octets.count ? octets[index] : nil }

    private mutating func skipSpace() {
        while let octet, ASCII.isOWS(octet) { index += 1 }
    }

    /// Skips commas and white space; returns false at the end of the line.
    private mutating func skipSeparators() -> Bool {
        while let octet, ASCII.isOWS(octet) || octet == UInt8(ascii: ",") { index += 1 }
        return index < octets.count
    }

    /// Skips text that is not a challenge.
    private mutating func skipToComma() {
        while let octet, octet != UInt8(ascii: ",") {
            if octet == UInt8(ascii: "\"") { _ = takeQuoted() } else { index += 1 }
        }
    }

    private mutating func takeToken() -> ArraySlice<UInt8> {
        let start = index
        while let octet, ChallengeParser.isToken(octet) { index += 1 }
        return octets[start..<index]
    }

    /// The value after `=`, or nil, with nothing consumed, if there is no `=`.
    private mutating func takeParameterValue() -> [UInt8]? {
        let start = index
        skipSpace()
        guard octet == UInt8(ascii: "=") else {
            index = start
            return nil
        }
        index += 1
        skipSpace()
        if octet == UInt8(ascii: "\"") { return takeQuoted() }
        let valueStart = index
        while let octet, octet != UInt8(ascii: ","), !ASCII.isOWS(octet) { index += 1 }
        return Array(octets[valueStart..<index])
    }

    /// A quoted string without its quotation marks and escapes; an unterminated one ends with the
    /// line.
    private mutating func takeQuoted() -> [UInt8] {
        var value: [UInt8] = []
        index += 1
        while let octet {
            index += 1
            if octet == UInt8(ascii: "\"") { return value }
            if octet == UInt8(ascii: "\\"), let escaped = self.octet {
                value.append(escaped)
                index += 1
            } else {
                value.append(octet)
            }
        }
        return value
    }

    /// The token68 after a scheme, or nil, with nothing consumed, if parameters follow.
    private mutating func takeToken68() -> String? {
        let start = index
        skipSpace()
        guard index > start else { return nil }
        let textStart = index
        while let octet, ChallengeParser.isToken68(octet) { index += 1 }
        let hasText = index > textStart
        while octet == UInt8(ascii: "=") { index += 1 }
        let text = octets[textStart..<index]
        skipSpace()
        guard hasText, octet == nil || octet == UInt8(ascii: ",") else {
            index = start
            return nil
        }
        return ASCII.text(text)
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        ASCII.lowercased(octet) &- 0x61 < 26 || octet &- 0x30 < 10
    }

    private static func isToken(_ octet: UInt8) -> Bool {
        isAlphanumeric(octet) || "!#$%&'*+-.^_`|~".utf8.contains(octet)
    }

    private static func isToken68(_ octet: UInt8) -> Bool {
        isAlphanumeric(octet) || "-._~+/".utf8.contains(octet)
    }
}
