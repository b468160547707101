/// What one request has tried, so that no credential is tried twice.
public struct AuthenticationAttempts: Sendable {
    private struct Try: Sendable, Hashable {
        let space: ProtectionSpace
        let credential: Credential
    }

    private var tries: Set<Try> = []
    private var sentValues: Set<[UInt8]> = []
    private var staleCount = 0

    /// How often a server may say that the nonce was too old.
    private static let staleCountMax = 3

    /// Nothing was tried yet.
    public init() {}

    /// Whether a credential may be tried for an offer: not after it failed, unless only the nonce
    /// was too old.
    mutating func allows(_ offer: AuthenticationOffer, with credential: Credential) -> Bool {
        guard !tries.insert(Try(space: offer.space, credential: credential)).inserted else {
            return true
        }
        guard offer.isStale, staleCount < AuthenticationAttempts.staleCountMax else { return false }
        staleCount += 1
        return true
    }

    /// Notes what is sent; false where the same was sent before.
    mutating func note(_ value: [UInt8]) -> Bool { sentValues.insert(value).inserted }
}
