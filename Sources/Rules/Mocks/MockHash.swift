/// Computes 64-bit hashes of the compared values. The seed is random for each process: clients
/// cannot choose requests that collide with others.
struct MockHash {
    private var hasher = Hasher()

    mutating func combine(_ number: UInt64) { hasher.combine(number) }

    /// Combines the number of bytes and the bytes, so that neighbouring values stay separate.
    mutating func combine(_ bytes: some Collection<UInt8>) {
        hasher.combine(bytes.count)
        let isFed: Void? = bytes.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isFed == nil { for byte in bytes { hasher.combine(byte) } }
    }

    /// Combines the UTF-8 bytes of a text: canonically equivalent texts differ.
    mutating func combine(_ text: String) { combine(text.utf8) }

    func finish() -> UInt64 { UInt64(bitPattern: Int64(hasher.finalize())) }

    static func of(_ feed: (inout MockHash) -> Void) -> UInt64 {
        var hash = MockHash()
        feed(&hash)
        return hash.finish()
    }

    /// Hashes elements in any order: the sum of their hashes does not depend on it.
    static func ofSet(_ hashes: [UInt64]) -> UInt64 {
        of { hash in
            hash.combine(UInt64(hashes.count))
            hash.combine(hashes.reduce(0, &+))
        }
    }
}
