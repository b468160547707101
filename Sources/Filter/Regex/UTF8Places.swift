/// What the bytes of a text are as UTF-8 (RFC 3629 §3), told for each place without reading the
/// text from its start.
enum UTF8Places {
    /// Whether the byte at a place is above 0x7F and belongs to no character.
    static func isStray(_ place: Int, in text: Span<UInt8>) -> Bool {
        guard text[place] >= 0x80 else { return false }
        let start = leadPlace(of: place, in: text)
        return start + byteCount(at: start, in: text) <= place
    }

    /// Whether a place is inside a character: before none of its bytes but the first.
    static func isInside(_ place: Int, in text: Span<UInt8>) -> Bool {
        guard place < text.count, isContinuation(text[place]) else { return false }
        let start = leadPlace(of: place, in: text)
        return start < place && start + byteCount(at: start, in: text) > place
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Where the character begins that may hold a byte.
    private static func leadPlace(of place: Int, in text: Span<UInt8>) -> Int {
        var start = place
        while start > 0, place - start < 3, isContinuation(text[start]) { start -= 1 }
        return start
    }

    /// How many bytes the character has that begins at a place; 0 where none does.
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

    /// The length of a character and what its second byte may be, by its first byte.
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
