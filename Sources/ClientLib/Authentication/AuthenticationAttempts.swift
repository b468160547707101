/// The credentials that one request has tried, so that none is tried twice.
public struct AuthenticationAttempts: Sendable {
    private struct Try: Sendable, Hashable {
        let space: ProtectionSpace
        let credential: Credential
    }

    private var tries: Set<Try> = []
    private var sentValues: Set<[UInt8]> = []
    private var staleCount = 0

    /// How often a server may report that the nonce is stale before the request gives up.
    private static let staleCountMax = 3

    /// Creates a record in which nothing has been tried.
    public init() {}

    /// Whether a credential may be tried for an offer: not after it has failed, unless only the
    /// nonce was stale.
    mutating func allows(_ offer: AuthenticationOffer, with credential: Credential) -> Bool {
        guard !tries.insert(Try(space: offer.space, credential: credential)).inserted else {
            return true
        }
        guard offer.isStale, staleCount < AuthenticationAttempts.staleCountMax else { return false }
        staleCount += 1
        return true
    }

    /// Records a value that is about to be sent; returns false if the same value was sent before.
    mutating func note(_ value: [UInt8]) -> Bool { sentValues.insert(value).inserted }
}
