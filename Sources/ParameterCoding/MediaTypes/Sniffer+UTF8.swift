extension Sniffer {
    /// Whether the inspected range is UTF-8, which may end within a character but for the first.
    static func beginsUTF8(_ bytes: Span<UInt8>) -> Bool {
        let sight = bytes.extracting(first: lookByteCountMax)
        var end = sight.count
        var lead = end - 1
        while lead > 0, end - lead < 4, sight[lead] & 0xC0 == 0x80 { lead -= 1 }
        if lead > 0, characterByteCount(sight[lead]) > end - lead { end = lead }
        return (try? UTF8Span(validating: sight.extracting(0..<end))) != nil
    }

    /// The number of bytes of a character with this first byte; 0 if there is none.
    private static func characterByteCount(_ first: UInt8) -> Int {
        switch first {
        case 0x00...0x7F: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
    }
}
