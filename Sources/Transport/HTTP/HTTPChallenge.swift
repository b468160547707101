package import ProxydHTTPModel

/// An authentication challenge of a server or proxy (RFC 9110 §11.3).
package struct HTTPChallenge: Sendable, Hashable {
    /// The name and value of a parameter, without quotation marks and escapes.
    package struct Parameter: Sendable, Hashable {
        /// The name as the server wrote it.
        package let name: String
        /// The value's bytes, not decoded as text, because they go into Digest hashes.
        package let value: [UInt8]
    }

    /// The scheme as the server wrote it, such as `Basic`.
    package let scheme: String
    /// The text that some schemes use instead of parameters (`token68` in RFC 9110 §11.2).
    package internal(set) var token68: String?
    /// The parameters in the order they were received.
    package internal(set) var parameters: [Parameter] = []

    init(scheme: String) { self.scheme = scheme }

    /// All challenges in the lines of a field, in order. Skips whatever cannot be parsed.
    package static func all(in fields: HeaderFields, named name: String) -> [HTTPChallenge] {
        let name = Array(name.utf8)
        return fields.lines.flatMap { line in
            let isChallenge = ASCII.equalsIgnoringCase(
                fields.bytes.span.extracting(line.nameRange), name.span)
            return isChallenge ? parse(fields.bytes[line.valueRange]) : []
        }
    }

    /// Parses the challenges of one field line.
    package static func parse(_ bytes: some Collection<UInt8>) -> [HTTPChallenge] {
        var parser = ChallengeParser(bytes)
        return parser.challenges()
    }

    /// The value of a parameter; the case of the name is ignored.
    package func value(_ name: String) -> [UInt8]? {
        let wanted = Array(name.utf8)
        return parameters.first {
            ASCII.equalsIgnoringCase(Array($0.name.utf8).span, wanted.span)
        }?.value
    }

    package func text(_ name: String) -> String? { value(name).map(ASCII.text) }

    /// Whether the challenge's scheme is the given one, which must be in lower case.
    package func isScheme(_ lowercase: StaticString) -> Bool {
        let name = Array(scheme.utf8)
        return ASCII.equalsIgnoringCase(name.span, lowercase)
    }
}

/// Parses challenges (RFC 9110 §11.6.1). Commas separate both parameters and challenges: a token
/// followed by `=` is a parameter; any other token starts the next challenge.
struct ChallengeParser {
    private let bytes: [UInt8]
    private var index = 0

    /// More challenges than any server has reason to send.
    private static let challengeCountMax = 64
    private static let parameterCountMax = 256

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

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

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte, ASCII.isOWS(byte) { index += 1 }
    }

    /// Skips commas and white space; returns false at the end of the line.
    private mutating func skipSeparators() -> Bool {
        while let byte, ASCII.isOWS(byte) || byte == UInt8(ascii: ",") { index += 1 }
        return index < bytes.count
    }

    private mutating func skipToComma() {
        while let byte, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = takeQuoted() } else { index += 1 }
        }
    }

    private mutating func takeToken() -> ArraySlice<UInt8> {
        let start = index
        while let byte, ChallengeParser.isToken(byte) { index += 1 }
        return bytes[start..<index]
    }

    /// The value after `=`, or nil, with nothing consumed, if there is no `=`.
    private mutating func takeParameterValue() -> [UInt8]? {
        let start = index
        skipSpace()
        guard byte == UInt8(ascii: "=") else {
            index = start
            return nil
        }
        index += 1
        skipSpace()
        if byte == UInt8(ascii: "\"") { return takeQuoted() }
        let valueStart = index
        while let byte, byte != UInt8(ascii: ","), !ASCII.isOWS(byte) { index += 1 }
        return Array(bytes[valueStart..<index])
    }

    /// A quoted string without its quotation marks and escapes; an unterminated one ends with the
    /// line.
    private mutating func takeQuoted() -> [UInt8] {
        var value: [UInt8] = []
        index += 1
        while let byte {
            index += 1
            if byte == UInt8(ascii: "\"") { return value }
            if byte == UInt8(ascii: "\\"), let escaped = self.byte {
                value.append(escaped)
                index += 1
            } else {
                value.append(byte)
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
        while let byte, ChallengeParser.isToken68(byte) { index += 1 }
        let hasText = index > textStart
        while byte == UInt8(ascii: "=") { index += 1 }
        let text = bytes[textStart..<index]
        skipSpace()
        guard hasText, byte == nil || byte == UInt8(ascii: ",") else {
            index = start
            return nil
        }
        return ASCII.text(text)
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~+/".utf8.contains(byte)
    }
}
