internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation

/// The certificates that the server of an exchange sent, its own first.
enum CertificatesJSON {
    static func value(
        _ exchange: Exchange, _ read: ([UInt8]) -> CertificateFacts?
    ) -> JSONValue {
        let chain = exchange.server?.security?.peerCertificates.compactMap(read) ?? []
        return .members([("certificates", .array(chain.map(value)))])
    }

    private static func value(_ facts: CertificateFacts) -> JSONValue {
        .members([
            ("subject", .string(facts.subject)), ("issuer", .string(facts.issuer)),
            ("names", .strings(facts.names)), ("not_before", date(facts.notBefore)),
            ("not_after", date(facts.notAfter)), ("key", .string(facts.key)),
            ("signature", .string(facts.signature)), ("serial", .string(facts.serial)),
            ("fingerprint", .string(facts.fingerprint)),
            ("authority", .bool(facts.isAuthority)),
        ])
    }

    /// A store may contain any number, and RFC 3339 has years of four digits.
    private static func date(_ seconds: Int64) -> JSONValue {
        let text = RFC3339.text(seconds: seconds)
        return text.utf8.count == "2026-11-20T10:00:00.000Z".utf8.count ? .string(text) : .null
    }
}
