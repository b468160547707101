/// Ways to cut bytes into the pieces that a connection may deliver.
enum Cuts {
    /// One byte at a time.
    static func drip(_ octets: [UInt8]) -> [ArraySlice<UInt8>] {
        octets.indices.map { octets[$0...$0] }
    }

    /// Pieces of a size, the last one perhaps shorter.
    static func pieces(_ octets: [UInt8], of size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: octets.count, by: size).map {
            octets[$0..<min($0 + size, octets.count)]
        }
    }

    /// The ways to feed a decoder: whole, byte by byte, and cut once at every place.
    static func everyWay(_ octets: [UInt8]) -> [[[UInt8]]] {
        let halves = octets.indices.dropFirst().map { place in
            [Array(octets[..<place]), Array(octets[place...])]
        }
        return [[octets], octets.map { [$0] }] + halves
    }
}
