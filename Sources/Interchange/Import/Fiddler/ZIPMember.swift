/// A member of a ZIP archive, as its directory or its own header describes it.
struct ZIPMember {
    /// Where its header starts.
    var offset: Int64
    /// The size of its data in the archive, in bytes.
    var packedByteCount: Int64
    /// Its size in bytes.
    var byteCount: Int64
    var checksum: UInt32
    var method: UInt16
    var isEncrypted: Bool
}

/// The checksum of members of ZIP archives (CRC-32).
struct ZIPChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    private var state: UInt32 = .max

    var value: UInt32 { ~state }

    mutating func add(_ bytes: Span<UInt8>) {
        var state = state
        ZIPChecksum.table.withUnsafeBufferPointer { table in
            for index in bytes.indices {
                state = state >> 8 ^ table[Int((state ^ UInt32(bytes[index])) & 0xFF)]
            }
        }
        self.state = state
    }
}
