public import ProxydHTTPModel

/// One way to authenticate that a server or proxy offers (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The name and value of a parameter, without quotation marks and escapes.
    public struct Parameter: Sendable, Hashable {
        /// The name as the server wrote it.
        public let name: String
        /// The value's bytes, unchanged because they go into Digest hashes.
        public let value: [UInt8]
    }

    /// The scheme as the server wrote it, such as `Basic`.
    public let scheme: String
    /// The text that some schemes use instead of parameters (`token68` in RFC 9110 §11.2).
    public internal(set) var token68: String?
    /// The parameters in the order they were received.
    public internal(set) var parameters: [Parameter] = []

    init(scheme: String) { self.scheme = scheme }

    /// All challenges of a message for a recipient, in order. Skips whatever cannot be parsed.
    public static func all(
        in fields: HeaderFields, from recipient: AuthenticationRecipient = .origin
    ) -> [AuthenticationChallenge] {
        let name = Array(recipient.challengeFieldName.utf8)
        return fields.lines.flatMap { line in
            let isChallenge = ASCII.equalsIgnoringCase(
                fields.octets.span.extracting(line.nameRange), name.span)
            return isChallenge ? parse(fields.octets[line.valueRange]) : []
        }
    }

    /// Parses the challenges of one field line.
    public static func parse(_ octets: some Collection<UInt8>) -> [AuthenticationChallenge] {
        var parser = ChallengeParser(octets)
        return parser.challenges()
    }

    /// The value of a parameter; the case of the name is ignored.
    public func value(_ name: String) -> [UInt8]? {
        let wanted = Array(name.utf8)
        return parameters.first {
            ASCII.equalsIgnoringCase(Array($0.name.utf8).span, wanted.span)
        }?.value
    }

    /// The value of a parameter as text.
    public func text(_ name: String) -> String? { value(name).map(ASCII.text) }

    /// The part of a server that the credentials are for, or nil if the challenge names none.
    public var realm: String? { text("realm") }

    /// Whether the challenge's scheme is the given one, which must be in lower case.
    func isScheme(_ lowercase: StaticString) -> Bool {
        let name = Array(scheme.utf8)
        return ASCII.equalsIgnoringCase(name.span, lowercase)
    }
}
