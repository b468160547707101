/// How long leaves live: short enough that a leaked one is soon worthless and no client finds it
/// too long, dated back for clients whose clock is behind.
enum LeafPolicy {
    private static let day = 86_400
    private static let backdatingSeconds = day
    private static let lifeSeconds = 6 * day
    /// A leaf with less left is replaced.
    private static let remainderSecondsMin = day

    /// The validity of a leaf made at `now`; it does not outlive its issuer.
    static func validity(now: Int, issuerNotAfter: Int) -> CertificateBuilder.Validity {
        .init(from: now - backdatingSeconds, to: min(now + lifeSeconds, issuerNotAfter))
    }

    /// Whether a leaf can still be shown at `now`. Not so where the clock was set back to before
    /// its making. A leaf that ends with its issuer has no better successor.
    static func isFresh(_ leaf: LeafCertificate, now: Int, issuerNotAfter: Int) -> Bool {
        let start = leaf.validity.from
        let end = leaf.validity.to
        let isBestPossible = end >= issuerNotAfter
        return start <= now && now < end && (isBestPossible || end - now > remainderSecondsMin)
    }
}
