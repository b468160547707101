/// The ordered pairs of a query or form together with the original bytes.
///
/// Lossless: `k`, `k=`, repeated names, empty pairs, invalid escapes, `+` and `;` are all
/// preserved, and `joined()` returns the same bytes. An edit changes the bytes of its own pair
/// only; the pairs always correspond to the bytes.
public struct EncodedPairs: Sendable, Hashable {
    /// The decoded bytes, including edits made since.
    public internal(set) var bytes: [UInt8]
    /// The pairs in their order, including empty ones (`a&&b`).
    public internal(set) var pairs: [EncodedPair]
    /// Decodes the pairs that edits create.
    let decoder: QueryDecoder

    /// The bytes of a pair, not decoded.
    public func raw(_ pair: EncodedPair) -> ArraySlice<UInt8> {
        bytes[pair.ranges.whole.clamped(to: bytes.indices)]
    }

    /// Joins the bytes of the pairs with their separators.
    public func joined() -> [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(bytes.count)
        for pair in pairs {
            joined += raw(pair)
            let separator = pair.ranges.whole.upperBound
            if separator < bytes.count { joined.append(bytes[separator]) }
        }
        return joined
    }

    /// Whether the bytes and their division into pairs are equal.
    public static func == (first: EncodedPairs, second: EncodedPairs) -> Bool {
        first.bytes == second.bytes && first.pairs == second.pairs
    }

    /// Hashes the bytes and the pairs.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
        hasher.combine(pairs)
    }
}
