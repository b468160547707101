/// The first bytes of a MessagePack value: its type and its length.
struct MessagePackHead {
    enum Kind: Hashable {
        case null, bool(Bool), integer, unsigned, float
        case string, binary
        case array(Int), map(Int)
        case extended(Int8)
        case invalid
    }

    let kind: Kind
    /// The number of bytes before the payload.
    let byteCount: Int
    /// The payload length in bytes for numbers, strings and the like; 0 for arrays and maps.
    let payloadByteCount: Int

    /// Parses the head at the start; returns nil if it is incomplete.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return nil }
        let first = bytes[0]
        func number(_ count: Int) -> Int? {
            guard bytes.count > count else { return nil }
            var value = 0
            for index in 1...count { value = value << 8 | Int(bytes[index]) }
            return value
        }
        switch first {
        case 0x00...0x7F, 0xE0...0xFF: self.init(.integer, 1, 0)
        case 0x80...0x8F: self.init(.map(Int(first & 15)), 1, 0)
        case 0x90...0x9F: self.init(.array(Int(first & 15)), 1, 0)
        case 0xA0...0xBF: self.init(.string, 1, Int(first & 31))
        case 0xC0: self.init(.null, 1, 0)
        case 0xC2, 0xC3: self.init(.bool(first == 0xC3), 1, 0)
        case 0xCA, 0xCB: self.init(.float, 1, first == 0xCA ? 4 : 8)
        case 0xCC...0xCF: self.init(.unsigned, 1, 1 << Int(first - 0xCC))
        case 0xD0...0xD3: self.init(.integer, 1, 1 << Int(first - 0xD0))
        case 0xC4...0xC6, 0xD9...0xDB:
            let size = 1 << Int(first < 0xD0 ? first - 0xC4 : first - 0xD9)
            guard let count = number(size) else { return nil }
            self.init(first < 0xD0 ? .binary : .string, 1 + size, count)
        case 0xDC, 0xDD, 0xDE, 0xDF:
            let size = first & 1 == 0 ? 2 : 4
            guard let count = number(size) else { return nil }
            self.init(first < 0xDE ? .array(count) : .map(count), 1 + size, 0)
        case 0xC7...0xC9:
            let size = 1 << Int(first - 0xC7)
            guard let count = number(size), bytes.count > 1 + size else { return nil }
            self.init(.extended(Int8(bitPattern: bytes[1 + size])), 2 + size, count)
        case 0xD4...0xD8:
            guard bytes.count > 1 else { return nil }
            self.init(
                .extended(Int8(bitPattern: bytes[1])), 2, 1 << Int(first - 0xD4))
        default: self.init(.invalid, 1, 0)
        }
    }

    private init(_ kind: Kind, _ byteCount: Int, _ payloadByteCount: Int) {
        self.kind = kind
        self.byteCount = byteCount
        self.payloadByteCount = payloadByteCount
    }
}
