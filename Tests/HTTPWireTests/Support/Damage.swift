import ProxydTestSupport

extension SplitMix {
    /// A number below a bound.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

/// Random damage to a message.
enum Damage {
    /// What parsers stumble over.
    private static let bits: [[UInt8]] = [
        "\r\n", "\n", "\r", "\r\n\r\n", "\0", " ", "\t", ":", ",", ";", "0", "-1",
        "ffffffffffffffff",
        "18446744073709551616", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "\r\n x",
        "Connection: host, te\r\n", "Host: b\r\n", "HTTP/1.1", "chunked", "%", "[", "@", "\u{E9}",
    ].map { Array($0.utf8) }

    /// The bytes after one to four changes.
    static func apply(to bytes: [UInt8], using random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(4) {
            let place = random.below(bytes.count + 1)
            switch random.below(5) {
            case 0: bytes.insert(contentsOf: bits[random.below(bits.count)], at: place)
            case 1 where place < bytes.count: bytes[place] = UInt8(random.below(256))
            case 2 where place < bytes.count: bytes.remove(at: place)
            case 3:
                let end = min(bytes.count, place + random.below(20))
                bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
            default:
                bytes.removeSubrange(place..<min(bytes.count, place + random.below(6)))
            }
        }
        return bytes
    }
}

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
