/// What tshark writes instead of bytes that it does not have: a sentence that says how many, in the
/// same digits as the bytes.
enum PacketGap {
    /// More than a connection can miss: sequence numbers have 32 bits.
    private static let byteCountMax = 1 << 32
    private static let (start, end) = (
        UInt8(ascii: "["), Array(" bytes missing in capture file]".utf8)
    )

    /// How many bytes are missing; nil if these are bytes that passed.
    static func byteCount(_ piece: [UInt8]) -> Int? {
        // A zero byte follows the sentence.
        let text = piece.last == 0 ? piece.dropLast() : piece[...]
        guard text.first == start, text.suffix(end.count).elementsEqual(end) else { return nil }
        let digits = text.dropFirst().dropLast(end.count)
        guard 1...10 ~= digits.count else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)).flatMap {
            1...byteCountMax ~= $0 ? $0 : nil
        }
    }
}
