/// Hashes of names and values, used by the encoder for lookups. A peer that causes collisions on
/// purpose gains nothing, because a search is limited to the entries that fit into the table.
enum HPACKHash {
    private static let multiplier: UInt64 = 0x9FB2_1C65_1E98_DF25

    /// Returns the hash of bytes, starting from `seed`.
    @inline(__always)
    static func of(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            let count = bytes.count
            var hash = (seed ^ UInt64(truncatingIfNeeded: count)) &* multiplier
            if count >= 8 {
                var index = 0
                while index &+ 8 < count {
                    mix(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self), &hash)
                    index &+= 8
                }
                // The last eight bytes, some of which have already been mixed in.
                mix(bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self), &hash)
            } else if count >= 4 {
                let first = bytes.loadUnaligned(as: UInt32.self)
                let last = bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                mix(UInt64(first) &<< 32 | UInt64(last), &hash)
            } else if count > 0 {
                let ends = UInt64(bytes[0]) &<< 16 | UInt64(bytes[count &- 1])
                mix(ends | UInt64(bytes[count &>> 1]) &<< 8, &hash)
            }
            return hash
        }
    }

    @inline(__always)
    private static func mix(_ word: UInt64, _ hash: inout UInt64) {
        hash = (hash ^ word) &* multiplier
        hash ^= hash &>> 32
    }
}
