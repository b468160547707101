/// Ways to cut bytes into the pieces that a connection may deliver.
enum Cuts {
    /// One byte at a time.
    static func drip(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.indices.map { bytes[$0...$0] }
    }

    /// Pieces of a size, the last one perhaps shorter.
    static func pieces(_ bytes: [UInt8], of size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: size).map {
            bytes[$0..<min($0 + size, bytes.count)]
        }
    }

    /// The ways to feed a decoder: whole, byte by byte, and cut once at every place.
    static func everyWay(_ bytes: [UInt8]) -> [[[UInt8]]] {
        let halves = bytes.indices.dropFirst().map { index in
            [Array(bytes[..<index]), Array(bytes[index...])]
        }
        return [[bytes], bytes.map { [$0] }] + halves
    }
}
