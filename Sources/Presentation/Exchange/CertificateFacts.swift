/// A certificate of a server's chain in a person's words.
package struct CertificateFacts: Sendable, Hashable {
    /// Whom it is about: `CN=example.org,O=Example`.
    package let subject: String
    /// Who signed it.
    package let issuer: String
    /// The names and addresses it is for.
    package let names: [String]
    /// Seconds since 1970.
    package let notBefore: Int64
    /// Seconds since 1970.
    package let notAfter: Int64
    /// `RSA, 2048 bits`.
    package let key: String
    /// `sha256WithRSAEncryption`.
    package let signature: String
    /// Hexadecimal.
    package let serial: String
    /// SHA-256 of the certificate: `AB:CD:…`.
    package let fingerprint: String
    /// Whether it may sign others.
    package let isAuthority: Bool

    /// A certificate by all that is said of it.
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

    /// All of it.
    /// - Parameters:
    ///   - number: Its place in the chain, the server's own being 1.
    ///   - now: Nanoseconds since 1970.
    package func lines(_ number: Int, _ clock: WallTime, now: Int64) -> [StyledText] {
        var first = StyledText("\(number)  ", .dim)
        first.append(subject, .accent)
        if isAuthority { first.append("  authority", .dim) }
        return [first] + facts(clock, now: now).map { $0.line.indented(by: 3) }
    }

    private func facts(_ clock: WallTime, now: Int64) -> [Fact] {
        let seconds = now / 1_000_000_000
        var facts = [Fact("issuer", issuer == subject ? "itself" : issuer)]
        if !names.isEmpty { facts.append(Fact("for", names.joined(separator: ", "))) }
        let isEarly = notBefore > seconds
        facts.append(
            Fact("valid from", CertificateFacts.date(notBefore, clock), isEarly ? .bad : .plain))
        let isLate = notAfter < seconds
        let days = (notAfter - seconds) / 86_400
        let words = isLate ? "expired" : "\(Quantity.count(days, "day", isGrouped: true)) left"
        facts.append(
            Fact(
                "valid until", "\(CertificateFacts.date(notAfter, clock))  \(words)",
                isLate ? .bad : days < 14 ? .notice : .plain))
        facts.append(Fact("key", key))
        facts.append(Fact("signature", signature))
        facts.append(Fact("serial", serial))
        facts.append(Fact("sha-256", fingerprint))
        return facts
    }

    private static func date(_ seconds: Int64, _ clock: WallTime) -> String {
        let (nanoseconds, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isOver ? "far away" : clock.full(nanoseconds)
    }
}
