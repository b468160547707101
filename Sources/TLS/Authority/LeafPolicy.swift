/// The lifetime of leaves: short enough that a leaked one soon expires and no client rejects it as
/// too long, and backdated for clients with a slow clock.
enum LeafPolicy {
    private static let day = 86_400
    private static let backdatingSeconds = day
    private static let lifeSeconds = 6 * day
    /// A leaf with less remaining time is replaced.
    private static let remainderSecondsMin = day

    /// The validity of a leaf created at `now`; it does not outlive its issuer.
    static func validity(now: Int, issuerNotAfter: Int) -> CertificateBuilder.Validity {
        .init(from: now - backdatingSeconds, to: min(now + lifeSeconds, issuerNotAfter))
    }

    /// Whether a leaf can still be used at `now`. It cannot if the clock was set back to before its
    /// creation. A leaf that expires with its issuer is not replaced, since a new one would not
    /// last longer.
    static func isFresh(_ leaf: LeafCertificate, now: Int, issuerNotAfter: Int) -> Bool {
        let start = leaf.validity.from
        let end = leaf.validity.to
        let isBestPossible = end >= issuerNotAfter
        return start <= now && now < end && (isBestPossible || end - now > remainderSecondsMin)
    }
}
