/// Signed numbers as varints write them where few bytes are wanted: 0, -1, 1, -2 as 0, 1, 2, 3.
enum ZigZag {
    /// The number of 64 bits.
    static func decoded(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// The number of 32 bits; what is above them is dropped.
    static func decoded(_ value: UInt32) -> Int32 {
        Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1)
    }
}
