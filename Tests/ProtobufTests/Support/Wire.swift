/// Bytes of messages, field by field.
enum Wire {
    static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func tag(_ number: UInt64, _ type: UInt64) -> [UInt8] { varint(number << 3 | type) }

    static func number(_ number: UInt64, _ value: UInt64) -> [UInt8] {
        tag(number, 0) + varint(value)
    }

    static func bytes(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        tag(number, 2) + varint(UInt64(content.count)) + content
    }

    static func text(_ number: UInt64, _ text: String) -> [UInt8] {
        bytes(number, Array(text.utf8))
    }

    static func fixed32(_ number: UInt64, _ bits: UInt32) -> [UInt8] {
        tag(number, 5) + (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }

    static func fixed64(_ number: UInt64, _ bits: UInt64) -> [UInt8] {
        tag(number, 1) + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }

    static func group(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        tag(number, 3) + content + tag(number, 4)
    }

    /// Messages in a field of each other, each behind some other fields. It is made from its end,
    /// as copying what is inside would take long.
    static func nested(
        _ depth: Int, _ innermost: [UInt8] = [], in number: UInt64 = 1, behind fields: [UInt8] = []
    ) -> [UInt8] {
        var bytes = Array(innermost.reversed())
        for _ in 0..<depth {
            bytes += varint(UInt64(bytes.count)).reversed()
            bytes += tag(number, 2).reversed()
            bytes += fields.reversed()
        }
        return bytes.reversed()
    }
}
