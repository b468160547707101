internal import ProxydInterchange
internal import ProxydParameterCoding

/// A body without content codings, of which pieces are shown: as text if it is text, otherwise as
/// Base64. Offsets count bytes of the text in UTF-8, or bytes of a body that is not text.
struct BodyPieces {
    /// The bytes that offsets count.
    let octets: [UInt8]
    private let isText: Bool

    init(_ content: BodyContent) {
        isText = content.text != nil
        octets = content.text.map { Array($0.utf8) } ?? content.octets
    }

    /// The members of a piece; a piece of text starts and ends at characters. `next_offset` is
    /// absent at the end.
    func members(from offset: Int, byteCount: Int) -> [(String, JSONValue)] {
        let range = range(from: offset, byteCount)
        let piece = Array(octets[range])
        var members: [(String, JSONValue)] = [
            ("bytes", .integer(octets.count)), ("offset", .integer(range.lowerBound)),
            isText
                ? ("text", .string(String(decoding: piece, as: UTF8.self)))
                : ("base64", .string(Base64.text(piece))),
        ]
        if range.upperBound < octets.count {
            members.append(("next_offset", .integer(range.upperBound)))
        }
        return members
    }

    private func range(from offset: Int, _ byteCount: Int) -> Range<Int> {
        let start = min(offset, octets.count)
        let end = start + min(byteCount, octets.count - start)
        guard isText else { return start..<end }
        let first = startOfCharacter(at: start)
        let last = startOfCharacter(at: end)
        // A piece that is shorter than its first character still moves on.
        return first..<(last > first ? last : endOfCharacter(at: first))
    }

    private func startOfCharacter(at offset: Int) -> Int {
        var offset = offset
        while offset > 0, isContinuation(offset) { offset -= 1 }
        return offset
    }

    private func endOfCharacter(at offset: Int) -> Int {
        var offset = min(offset + 1, octets.count)
        while isContinuation(offset) { offset += 1 }
        return offset
    }

    private func isContinuation(_ offset: Int) -> Bool {
        offset < octets.count && octets[offset] & 0xC0 == 0x80
    }
}
