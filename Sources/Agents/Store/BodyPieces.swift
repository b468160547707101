internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydPresentation

/// A body without content codings, of which pieces are shown: as text if it is text, the messages
/// of gRPC, gRPC-Web and Connect as lines, and anything else as Base64. Offsets count bytes of the
/// text in UTF-8, or bytes of a body that is not text.
struct BodyPieces {
    /// The bytes that offsets count.
    let bytes: [UInt8]
    let isText: Bool

    init(_ content: BodyContent) {
        let text = content.text ?? BodyPieces.messages(content)
        isText = text != nil
        bytes = text.map { Array($0.utf8) } ?? content.bytes
    }

    /// The messages of a call as lines, which may be cut; nil for other bodies.
    private static func messages(_ content: BodyContent) -> String? {
        guard content.kind == .grpc else { return nil }
        let excerpt = BodyExcerpt(content.bytes, contentType: content.contentType)
        let more = excerpt.omittedByteCount
        return (excerpt.lines.map(\.text) + (more > 0 ? ["… \(more) bytes more"] : []))
            .joined(separator: "\n")
    }

    /// The members of a piece; a piece of text starts and ends at characters. The piece is shorter
    /// if it would not fit into an answer. `next_offset` is null at the end.
    /// - Parameter shown: How a text is shown in an answer.
    func members(
        from offset: Int, byteCount: Int, shown: (String) -> String
    ) -> [(String, JSONValue)] {
        var byteCount = byteCount
        while true {
            let range = range(from: offset, byteCount)
            let piece = String(decoding: bytes[range], as: UTF8.self)
            let value = isText ? ("text", JSONValue.string(piece)) : ("base64", base64(range))
            let length = isText ? MCPServer.text(.string(shown(piece))).count : 0
            if length <= AnswerFinish.byteCountMax * 3 / 4 || byteCount <= 64 {
                return members(range, value)
            }
            byteCount /= 2
        }
    }

    private func base64(_ range: Range<Int>) -> JSONValue {
        .string(Base64.text(Array(bytes[range])))
    }

    private func members(
        _ range: Range<Int>, _ value: (String, JSONValue)
    ) -> [(String, JSONValue)] {
        let isEnd = range.upperBound == bytes.count
        return [
            ("bytes", .integer(bytes.count)), ("offset", .integer(range.lowerBound)), value,
            ("next_offset", .integer(isEnd ? nil : range.upperBound)),
        ]
    }

    private func range(from offset: Int, _ byteCount: Int) -> Range<Int> {
        let start = min(offset, bytes.count)
        let end = start + min(byteCount, bytes.count - start)
        guard isText else { return start..<end }
        let first = startOfCharacter(at: start)
        let last = startOfCharacter(at: end)
        // A piece has at least one whole character, so that offsets always advance.
        return first..<(last > first ? last : endOfCharacter(at: first))
    }

    private func startOfCharacter(at offset: Int) -> Int {
        var offset = offset
        while offset > 0, isContinuation(offset) { offset -= 1 }
        return offset
    }

    private func endOfCharacter(at offset: Int) -> Int {
        var offset = min(offset + 1, bytes.count)
        while isContinuation(offset) { offset += 1 }
        return offset
    }

    private func isContinuation(_ offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] & 0xC0 == 0x80
    }
}
