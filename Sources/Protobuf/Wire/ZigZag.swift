/// Decodes ZigZag varints, which encode 0, -1, 1, -2 as 0, 1, 2, 3.
enum ZigZag {
    /// Decodes a 64-bit number.
    static func decoded(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Decodes a 32-bit number; higher bits are dropped.
    static func decoded(_ value: UInt32) -> Int32 {
        Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1)
    }
}
