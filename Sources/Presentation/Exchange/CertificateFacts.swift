/// A certificate of a server's chain, formatted for users.
package struct CertificateFacts: Sendable, Hashable {
    /// The subject, such as `CN=example.org,O=Example`.
    package let subject: String
    /// The issuer, in the same format.
    package let issuer: String
    /// The subject alternative names: DNS names and IP addresses.
    package let names: [String]
    /// The start of the validity period, in seconds since 1970.
    package let notBefore: Int64
    /// The end of the validity period, in seconds since 1970.
    package let notAfter: Int64
    /// The public key, such as `RSA, 2048 bits`.
    package let key: String
    /// The signature algorithm, such as `sha256WithRSAEncryption`.
    package let signature: String
    /// The serial number in hexadecimal.
    package let serial: String
    /// The SHA-256 fingerprint of the certificate, as `AB:CD:…`.
    package let fingerprint: String
    /// Whether the certificate may sign others.
    package let isAuthority: Bool

    /// Creates the facts of a certificate.
    package init(
        subject: String, issuer: String, names: [String], notBefore: Int64, notAfter: Int64,
        key: String, signature: String, serial: String, fingerprint: String, isAuthority: Bool
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.key = key
        self.signature = signature
        self.serial = serial
        self.fingerprint = fingerprint
        self.isAuthority = isAuthority
    }

    /// Formats the certificate.
    /// - Parameters:
    ///   - number: The position in the chain; the server's own certificate is 1.
    ///   - now: The current time in nanoseconds since 1970.
    package func lines(_ number: Int, _ clock: WallTime, now: Int64) -> [StyledText] {
        var first = StyledText("\(number)  ", .dim)
        first.append(subject, .accent)
        if isAuthority { first.append("  authority", .dim) }
        return [first] + facts(clock, now: now).map { $0.line.indented(by: 3) }
    }

    private func facts(_ clock: WallTime, now: Int64) -> [Fact] {
        let seconds = WallTime.seconds(now)
        var facts = [Fact("issuer", issuer == subject ? "itself" : issuer)]
        if !names.isEmpty { facts.append(Fact("for", names.joined(separator: ", "))) }
        let isEarly = notBefore > seconds
        facts.append(
            Fact("valid from", clock.moment(seconds: notBefore), isEarly ? .bad : .plain))
        let isLate = notAfter < seconds
        let days = (notAfter &- seconds) / 86_400
        let words = isLate ? "expired" : "\(Quantity.count(days, "day", isGrouped: true)) left"
        facts.append(
            Fact(
                "valid until", "\(clock.moment(seconds: notAfter))  \(words)",
                isLate ? .bad : days < 14 ? .notice : .plain))
        facts.append(Fact("key", key))
        facts.append(Fact("signature", signature))
        facts.append(Fact("serial", serial))
        facts.append(Fact("sha-256", fingerprint))
        return facts
    }
}
