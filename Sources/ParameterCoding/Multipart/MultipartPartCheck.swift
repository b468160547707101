/// Checks for content that would end a part in the wrong place.
enum MultipartPartCheck {
    /// - Throws: `.badField`, `.boundaryInContent`.
    static func check(
        _ part: MultipartPart,
        at index: Int,
        boundary: MultipartBoundary
    ) throws(MultipartEncodingError) {
        if let contentType = part.contentType, !isFieldValue(contentType.utf8) {
            throw .badField(partIndex: index, name: "Content-Type")
        }
        for field in part.fields {
            let isName = !field.name.isEmpty && field.name.utf8.allSatisfy { Byte.isToken($0) }
            guard isName, isFieldValue(field.value) else {
                throw .badField(partIndex: index, name: field.name)
            }
        }
        if !boundary.isRandom, case .bytes(let bytes) = part.content,
            holds(bytes.span, Array(("\r\n--" + boundary.text).utf8))
        {
            throw .boundaryInContent(partIndex: index)
        }
    }

    private static func isFieldValue(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
    }

    /// Whether the content contains the delimiter, or starts with the delimiter without its CRLF:
    /// the CRLF may be that of the head.
    private static func holds(_ content: Span<UInt8>, _ delimiter: [UInt8]) -> Bool {
        if matches(content, 0, delimiter[2...]) { return true }
        var index = 0
        while index < content.count {
            // A delimiter contains no inner CR, so each byte is examined at most twice.
            if content[index] == 0x0D, matches(content, index, delimiter[...]) { return true }
            index &+= 1
        }
        return false
    }

    private static func matches(
        _ content: Span<UInt8>,
        _ start: Int,
        _ expected: ArraySlice<UInt8>
    ) -> Bool {
        var index = start
        for byte in expected {
            guard index < content.count, content[index] == byte else { return false }
            index &+= 1
        }
        return true
    }
}
