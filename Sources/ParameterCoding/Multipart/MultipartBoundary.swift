/// The boundary of a multipart body (RFC 2046 §5.1.1): 1 to 70 characters.
public struct MultipartBoundary: Sendable, Hashable {
    /// The characters of generated boundaries, none of which requires quoting in a field value.
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// 24 of 62 characters are 142 random bits: no content contains them by accident.
    private static let randomCharacterCount = 24
    private static let byteCountMax = 70

    /// The boundary without its dashes; ASCII.
    public let text: String
    /// Whether it was generated randomly, so that contents need not be searched for it.
    let isRandom: Bool

    /// - Throws: `.badBoundary` for what RFC 2046 does not allow: an empty text, more than 70
    ///   characters, other characters than letters, digits, `'()+_,-./:=?` and spaces, or a space
    ///   at the end.
    public init(_ text: String) throws(MultipartEncodingError) {
        let bytes = text.utf8
        guard (1...MultipartBoundary.byteCountMax).contains(bytes.count), bytes.last != 0x20,
            bytes.allSatisfy({ MultipartBoundary.isAllowed($0) })
        else { throw .badBoundary }
        self.text = text
        isRandom = false
    }

    private init(randomText: String) {
        text = randomText
        isRandom = true
    }

    /// A random boundary from the system's generator, unique for practical purposes.
    public static func random() -> MultipartBoundary {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A random boundary from the given generator.
    public static func random(
        using generator: inout some RandomNumberGenerator
    ) -> MultipartBoundary {
        let bytes = (0..<randomCharacterCount).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &generator)]
        }
        return MultipartBoundary(
            randomText: "FormBoundary" + String(decoding: bytes, as: UTF8.self))
    }

    /// The boundary as a parameter of Content-Type: quoted if it is not a token.
    var parameterText: String { text.utf8.allSatisfy { Byte.isToken($0) } ? text : "\"\(text)\"" }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F, 0x5F: true
        default: false
        }
    }
}

/// Writes the lines between the contents of parts.
struct MultipartHeadWriter {
    let boundary: MultipartBoundary
    let writesExtendedFilename: Bool

    /// The lines before a part's content.
    func head(of part: MultipartPart, isFirst: Bool) -> [UInt8] {
        var head = Array((isFirst ? "--" : "\r\n--").utf8)
        head += boundary.text.utf8
        head += "\r\n".utf8
        if part.name != nil || part.filename != nil {
            head += disposition(of: part).utf8
            head += "\r\n".utf8
        }
        if let contentType = part.contentType { head += "Content-Type: \(contentType)\r\n".utf8 }
        for field in part.fields {
            head += "\(field.name): ".utf8
            head += field.value
            head += "\r\n".utf8
        }
        head += "\r\n".utf8
        return head
    }

    /// The lines after the last content.
    func end(isEmpty: Bool) -> [UInt8] {
        Array(((isEmpty ? "--" : "\r\n--") + boundary.text + "--\r\n").utf8)
    }

    private func disposition(of part: MultipartPart) -> String {
        var line = "Content-Disposition: form-data"
        if let name = part.name { line += "; name=\"\(MultipartHeadWriter.escaped(name))\"" }
        guard let filename = part.filename else { return line }
        let escaped = MultipartHeadWriter.escaped(filename)
        line += "; filename=\"\(escaped)\""
        let isPlain = escaped.utf8.allSatisfy { Byte.isPrintableASCII($0) && $0 != 0x5C }
        if writesExtendedFilename, !isPlain || escaped != filename {
            line += "; filename*=UTF-8''" + EscapeSet.extendedValue.encoded(filename)
        }
        return line
    }

    /// Escapes the three characters that would end the value or the line, as browsers do (WHATWG
    /// HTML, "multipart/form-data encoding algorithm"); all others are unchanged, including percent
    /// signs.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) else {
            return text
        }
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x22: escaped += "%22".utf8
            case 0x0D: escaped += "%0D".utf8
            case 0x0A: escaped += "%0A".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension Byte {
    /// SP to `~`.
    fileprivate static func isPrintableASCII(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x5F }
}

/// Checks for content that would end a part in the wrong place.
enum MultipartPartCheck {
    /// - Throws: `.badField`, `.boundaryInContent`.
    static func check(
        _ part: MultipartPart, at index: Int, boundary: MultipartBoundary
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
        _ content: Span<UInt8>, _ start: Int, _ expected: ArraySlice<UInt8>
    ) -> Bool {
        var index = start
        for byte in expected {
            guard index < content.count, content[index] == byte else { return false }
            index &+= 1
        }
        return true
    }
}
