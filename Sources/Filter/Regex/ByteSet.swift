/// A set of bytes as 256 bits.
struct ByteSet: Sendable, Hashable {
    private var low: UInt64 = 0
    private var lowMiddle: UInt64 = 0
    private var highMiddle: UInt64 = 0
    private var high: UInt64 = 0

    init() {}

    init(_ range: ClosedRange<UInt8>) { insert(range) }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range {
            let bit: UInt64 = 1 << UInt64(byte & 63)
            switch byte >> 6 {
            case 0: low |= bit
            case 1: lowMiddle |= bit
            case 2: highMiddle |= bit
            default: high |= bit
            }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: low
            case 1: lowMiddle
            case 2: highMiddle
            default: high
            }
        return word & (1 << UInt64(byte & 63)) != 0
    }

    var isEmpty: Bool { low | lowMiddle | highMiddle | high == 0 }
}
