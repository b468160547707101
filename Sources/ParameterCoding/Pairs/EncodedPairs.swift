/// The ordered pairs of a query or form together with the octets they came from.
///
/// Lossless: `k`, `k=`, repeated names, empty pairs, bad escapes, `+` and `;` all survive, and
/// `joined()` gives back the same octets.
public struct EncodedPairs: Sendable, Hashable {
    /// What was decoded.
    public let octets: [UInt8]
    /// The pairs in their order, empty ones (`a&&b`) included.
    public let pairs: [EncodedPair]

    /// The octets of a pair as they came.
    public func raw(_ pair: EncodedPair) -> ArraySlice<UInt8> {
        octets[pair.ranges.whole.clamped(to: octets.indices)]
    }

    /// The pairs put together again from their own octets and the separators between them.
    public func joined() -> [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(octets.count)
        for pair in pairs {
            joined += raw(pair)
            let separator = pair.ranges.whole.upperBound
            if separator < octets.count { joined.append(octets[separator]) }
        }
        return joined
    }
}
