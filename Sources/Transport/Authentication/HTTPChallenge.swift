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

    /// The value of a parameter as text.
    package func text(_ name: String) -> String? { value(name).map(ASCII.text) }

    /// Whether the challenge's scheme is the given one, which must be in lower case.
    package func isScheme(_ lowercase: StaticString) -> Bool {
        let name = Array(scheme.utf8)
        return ASCII.equalsIgnoringCase(name.span, lowercase)
    }
}
