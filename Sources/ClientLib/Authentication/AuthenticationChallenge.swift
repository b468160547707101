public import ProxydHTTPModel

/// One way to authenticate that a server or proxy offers (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// A name and its value, quotation marks and escapes removed.
    public struct Parameter: Sendable, Hashable {
        /// The name as written.
        public let name: String
        /// The value's bytes: servers hash them, so that none may change.
        public let value: [UInt8]
    }

    /// The scheme as written, `Basic` and the like.
    public let scheme: String
    /// The text that some schemes have in place of parameters.
    public internal(set) var token68: String?
    /// The parameters in their order.
    public internal(set) var parameters: [Parameter] = []

    init(scheme: String) { self.scheme = scheme }

    /// The challenges of all lines of a message that are for a recipient, in their order. What
    /// cannot be read is passed over.
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

    /// The challenges of one line.
    public static func parse(_ octets: some Collection<UInt8>) -> [AuthenticationChallenge] {
        var parser = ChallengeParser(octets)
        return parser.challenges()
    }

    /// The value of a parameter, whatever its name's case.
    public func value(_ name: String) -> [UInt8]? {
        let wanted = Array(name.utf8)
        return parameters.first {
            ASCII.equalsIgnoringCase(Array($0.name.utf8).span, wanted.span)
        }?.value
    }

    /// The value of a parameter as text.
    public func text(_ name: String) -> String? { value(name).map(ASCII.text) }

    /// The part of a server that credentials are for; nil where the challenge names none.
    public var realm: String? { text("realm") }

    /// Whether this is a scheme, given in lower case.
    func isScheme(_ lowercase: StaticString) -> Bool {
        let name = Array(scheme.utf8)
        return ASCII.equalsIgnoringCase(name.span, lowercase)
    }
}
