/// Finds where bytes stop being UTF-8. Eight bytes of ASCII are one step.
enum UTF8Validation {
    /// The size of the longest start that is valid UTF-8.
    static func validByteCount(_ bytes: Span<UInt8>) -> Int {
        var decoder = UTF8Decoder()
        var index = 0
        while index < bytes.count {
            if isASCII(bytes, index) {
                index &+= 8
                continue
            }
            var next = index
            guard case .character = decoder.next(bytes, &next, isEnd: true) else { break }
            index = next
        }
        return index
    }

    /// Whether eight bytes from an index are there and ASCII.
    private static func isASCII(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        guard index &+ 8 <= bytes.count else { return false }
        let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        return word & 0x8080_8080_8080_8080 == 0
    }
}
