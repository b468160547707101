/// The ordered pairs of a query or form together with the octets they came from.
///
/// Lossless: `k`, `k=`, repeated names, empty pairs, bad escapes, `+` and `;` all survive, and
/// `joined()` gives back the same octets. An edit changes the octets of its own pair only; the
/// pairs are always what the octets decode to.
public struct EncodedPairs: Sendable, Hashable {
    /// What was decoded, with the edits made since.
    public internal(set) var octets: [UInt8]
    /// The pairs in their order, empty ones (`a&&b`) included.
    public internal(set) var pairs: [EncodedPair]
    /// Reads what edits have made.
    let decoder: QueryDecoder

    /// The octets of a pair as they are.
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

    /// Equal octets that were cut into equal pairs.
    public static func == (first: EncodedPairs, second: EncodedPairs) -> Bool {
        first.octets == second.octets && first.pairs == second.pairs
    }

    /// Feeds the octets and the pairs.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(octets)
        hasher.combine(pairs)
    }
}
