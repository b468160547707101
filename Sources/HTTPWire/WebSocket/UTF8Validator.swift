/// Checks whether bytes received in several pieces are valid UTF-8 (RFC 3629), in constant memory.
public struct UTF8Validator: Sendable {
    /// The number of bytes missing from the current character.
    private var missingCount: UInt8 = 0
    /// The lowest value allowed for the next of these bytes.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF
    /// Whether all bytes so far are valid.
    public private(set) var isValid = true

    /// Creates a validator that has not received any bytes.
    public init() {}

    /// Whether the bytes so far are valid and do not end within a character.
    public var isComplete: Bool { isValid && missingCount == 0 }

    /// Checks the next bytes; returns `isValid`.
    @discardableResult
    public mutating func receive(_ bytes: Span<UInt8>) -> Bool {
        guard isValid else { return false }
        bytes.withUnsafeBytes { bytes in
            var index = 0
            let count = bytes.count
            while index < count {
                if missingCount == 0 { index = UTF8Validator.endOfASCII(bytes, from: index) }
                guard index < count else { return }
                guard take(bytes[index]) else {
                    isValid = false
                    return
                }
                index &+= 1
            }
        }
        return isValid
    }

    /// Returns the index of the first non-ASCII byte from `start` on; examines 32 bytes at a time.
    private static func endOfASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let tops: UInt64 = 0x8080_8080_8080_8080
        let word = { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }
        var index = start
        while index &+ 32 <= bytes.count {
            let all = word(index) | word(index &+ 8) | word(index &+ 16) | word(index &+ 24)
            if all & tops != 0 { break }
            index &+= 32
        }
        while index < bytes.count, bytes[index] < 0x80 { index &+= 1 }
        return index
    }

    /// Checks one byte that may not be ASCII. The limits for the second byte exclude overlong
    /// forms, surrogates and values above U+10FFFF (RFC 3629 §4).
    private mutating func take(_ byte: UInt8) -> Bool {
        if missingCount > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            missingCount &-= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case ..<0x80: return true
        case 0xC2...0xDF: missingCount = 1
        case 0xE0: (missingCount, lowest) = (2, 0xA0)
        case 0xED: (missingCount, highest) = (2, 0x9F)
        case 0xE1...0xEF: missingCount = 2
        case 0xF0: (missingCount, lowest) = (3, 0x90)
        case 0xF1...0xF3: missingCount = 3
        case 0xF4: (missingCount, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
