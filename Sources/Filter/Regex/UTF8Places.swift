/// Classifies the bytes of a text as UTF-8 (RFC 3629 §3) at any position, without decoding the text
/// from its start.
enum UTF8Places {
    /// Whether the byte at a position is above 0x7F and not part of a valid character.
    static func isStray(_ place: Int, in text: Span<UInt8>) -> Bool {
        guard text[place] >= 0x80 else { return false }
        let start = leadPlace(of: place, in: text)
        return start + byteCount(at: start, in: text) <= place
    }

    /// Whether a position lies inside a character, that is, before any of its bytes but the first.
    static func isInside(_ place: Int, in text: Span<UInt8>) -> Bool {
        guard place < text.count, isContinuation(text[place]) else { return false }
        let start = leadPlace(of: place, in: text)
        return start < place && start + byteCount(at: start, in: text) > place
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// The position at which a character that contains this byte would start.
    private static func leadPlace(of place: Int, in text: Span<UInt8>) -> Int {
        var start = place
        while start > 0, place - start < 3, isContinuation(text[start]) { start -= 1 }
        return start
    }

    /// The number of bytes of the character that starts at a position; 0 if none does.
    private static func byteCount(at place: Int, in text: Span<UInt8>) -> Int {
        guard let (count, second) = sequence(from: text[place]), place + count <= text.count else {
            return 0
        }
        guard count > 1 else { return 1 }
        guard second.contains(text[place + 1]) else { return 0 }
        for index in (place + 2)..<max(place + count, place + 2)
        where !isContinuation(text[index]) { return 0 }
        return count
    }

    /// The length of a character and the valid range of its second byte, by its first byte.
    private static func sequence(from lead: UInt8) -> (count: Int, second: ClosedRange<UInt8>)? {
        switch lead {
        case ..<0x80: (1, 0...0)
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}
