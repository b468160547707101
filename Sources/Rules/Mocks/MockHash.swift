/// Makes 64 bits of what is compared. The seed is the process's own: whoever sends requests cannot
/// choose them so that they are taken for others.
struct MockHash {
    private var hasher = Hasher()

    mutating func combine(_ number: UInt64) { hasher.combine(number) }

    /// Bytes, told from those of its neighbours by their count.
    mutating func combine(_ bytes: some Collection<UInt8>) {
        hasher.combine(bytes.count)
        let isFed: Void? = bytes.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isFed == nil { for byte in bytes { hasher.combine(byte) } }
    }

    /// Text as it is written: what looks the same is not the same.
    mutating func combine(_ text: String) { combine(text.utf8) }

    func finish() -> UInt64 { UInt64(bitPattern: Int64(hasher.finalize())) }

    static func of(_ feed: (inout MockHash) -> Void) -> UInt64 {
        var hash = MockHash()
        feed(&hash)
        return hash.finish()
    }

    /// Of elements in any order, by their hashes: the sum does not depend on it.
    static func ofSet(_ hashes: [UInt64]) -> UInt64 {
        of { hash in
            hash.combine(UInt64(hashes.count))
            hash.combine(hashes.reduce(0, &+))
        }
    }
}
