public import ProxydHTTPModel
internal import ProxydTransport

/// One way to authenticate that a server or proxy offers (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The name and value of a parameter, without quotation marks and escapes.
    public struct Parameter: Sendable, Hashable {
        /// The name as the server wrote it.
        public let name: String
        /// The value's bytes, unchanged because they go into Digest hashes.
        public let value: [UInt8]
    }

    let parsed: HTTPChallenge

    init(_ parsed: HTTPChallenge) { self.parsed = parsed }

    /// The scheme as the server wrote it, such as `Basic`.
    public var scheme: String { parsed.scheme }
    /// The text that some schemes use instead of parameters (`token68` in RFC 9110 §11.2).
    public var token68: String? { parsed.token68 }
    /// The parameters in the order they were received.
    public var parameters: [Parameter] {
        parsed.parameters.map { Parameter(name: $0.name, value: $0.value) }
    }

    /// All challenges of a message for a recipient, in order. Skips whatever cannot be parsed.
    public static func all(
        in fields: HeaderFields, from recipient: AuthenticationRecipient = .origin
    ) -> [AuthenticationChallenge] {
        HTTPChallenge.all(in: fields, named: recipient.challengeFieldName).map(Self.init)
    }

    /// Parses the challenges of one field line.
    public static func parse(_ bytes: some Collection<UInt8>) -> [AuthenticationChallenge] {
        HTTPChallenge.parse(bytes).map(Self.init)
    }

    /// The value of a parameter; the case of the name is ignored.
    public func value(_ name: String) -> [UInt8]? { parsed.value(name) }

    /// The value of a parameter as text.
    public func text(_ name: String) -> String? { parsed.text(name) }

    /// The part of a server that the credentials are for, or nil if the challenge names none.
    public var realm: String? { text("realm") }

    /// Whether the challenge's scheme is the given one, which must be in lower case.
    func isScheme(_ lowercase: StaticString) -> Bool { parsed.isScheme(lowercase) }
}
