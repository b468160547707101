internal import ProxydParameterCoding

/// Finds the tags and texts of an XML property list. Attributes are discarded, comments and
/// processing instructions are skipped, and nothing is ever fetched or expanded.
///
/// It shares no code with the views of markup: those accept anything, also HTML, cut long lines and
/// read bytes as they load, and this rejects everything that a property list may not contain.
struct XMLScanner {
    struct Tag {
        enum Kind {
            case start
            case end
            /// `<a/>`.
            case empty
        }

        let name: String
        let kind: Kind
        /// The position of its `<`.
        let offset: Int
    }

    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Checks that the document is UTF-8 and skips its byte order mark and declaration.
    mutating func begin() throws(PropertyListError) {
        try checkUTF8()
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        skipWhitespace()
        guard offset < bytes.count, bytes[offset] == 0x3C else {
            throw PropertyListError(.notAPropertyList, at: offset)
        }
        if begins("<?xml") {
            let start = offset
            try skip(behind: "?>")
            try checkEncoding(bytes[start..<offset])
        }
    }

    /// The next tag; nil at the end. Only white space is allowed between tags.
    mutating func nextTag() throws(PropertyListError) -> Tag? {
        while true {
            skipWhitespace()
            guard offset < bytes.count else { return nil }
            guard bytes[offset] == 0x3C else {
                throw PropertyListError(.unexpectedContent, at: offset)
            }
            if begins("<!--") {
                offset += 4
                try skip(behind: "-->")
            } else if begins("<?") {
                try skip(behind: "?>")
            } else if begins("<!DOCTYPE") {
                try skipDocumentType()
            } else {
                return try tag()
            }
        }
    }

    /// The text up to the end tag of an element without child elements.
    mutating func text(of tag: Tag) throws(PropertyListError) -> String {
        if tag.kind == .empty { return "" }
        var text: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case 0x26: try appendReference(to: &text)
            case 0x3C where begins("<![CDATA["): try appendSection(to: &text)
            case 0x3C where begins("<!--"):
                offset += 4
                try skip(behind: "-->")
            case 0x3C:
                let end = try self.tag()
                guard end.kind == .end, end.name == tag.name else {
                    throw PropertyListError(.unexpectedContent, at: end.offset)
                }
                return String(decoding: text, as: UTF8.self)
            default: try appendByte(to: &text)
            }
        }
        throw PropertyListError(.truncated, at: offset)
    }

    /// The text of a CDATA section, in which nothing but its end is markup.
    private mutating func appendSection(to text: inout [UInt8]) throws(PropertyListError) {
        offset += 9
        while offset < bytes.count {
            if begins("]]>") {
                offset += 3
                return
            }
            try appendByte(to: &text)
        }
        throw PropertyListError(.truncated, at: offset)
    }

    private mutating func appendByte(to text: inout [UInt8]) throws(PropertyListError) {
        let byte = bytes[offset]
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
            throw PropertyListError(.invalidText, at: offset)
        }
        offset += 1
        // Every line end is normalized to LF (XML 1.0 §2.11).
        text.append(byte == 0x0D ? 0x0A : byte)
        if byte == 0x0D, offset < bytes.count, bytes[offset] == 0x0A { offset += 1 }
    }

    // MARK: Markup

    private mutating func tag() throws(PropertyListError) -> Tag {
        let start = offset
        offset += 1
        let isEnd = offset < bytes.count && bytes[offset] == 0x2F
        if isEnd { offset += 1 }
        let nameStart = offset
        while offset < bytes.count, isNameByte(bytes[offset]) { offset += 1 }
        let name = String(decoding: bytes[nameStart..<offset], as: UTF8.self)
        guard !name.isEmpty else { throw PropertyListError(.unexpectedContent, at: start) }
        var quote: UInt8?
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte == 0x3C {
                throw PropertyListError(.unexpectedContent, at: offset - 1)
            } else if byte == 0x3E {
                let isEmpty = bytes[offset - 2] == 0x2F && offset - 2 >= nameStart
                return Tag(
                    name: name, kind: isEnd ? .end : isEmpty ? .empty : .start, offset: start)
            }
        }
        throw PropertyListError(.truncated, at: offset)
    }

    /// A document type may name a DTD, which is not read; one with declarations is rejected.
    private mutating func skipDocumentType() throws(PropertyListError) {
        while offset < bytes.count, bytes[offset] != 0x3E {
            if bytes[offset] == 0x5B { throw PropertyListError(.entity, at: offset) }
            offset += 1
        }
        guard offset < bytes.count else { throw PropertyListError(.truncated, at: offset) }
        offset += 1
    }

    private func checkUTF8() throws(PropertyListError) {
        let span = bytes.span
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: span)
        } catch {
            let isUTF16 = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            throw PropertyListError(
                isUTF16 ? .unsupportedEncoding : .invalidText, at: error.byteOffsets.lowerBound)
        }
    }

    private func checkEncoding(_ declaration: ArraySlice<UInt8>) throws(PropertyListError) {
        let text = String(decoding: declaration, as: UTF8.self).lowercased()
        guard let start = text.firstRange(of: "encoding") else { return }
        let value = text[start.upperBound...].drop { "= \t\r\n\"'".contains($0) }
        let label = value.prefix { !" \"'?".contains($0) }
        guard label == "utf-8" || label == "utf8" || label == "us-ascii" || label == "ascii" else {
            throw PropertyListError(.unsupportedEncoding, at: declaration.startIndex)
        }
    }

    private mutating func appendReference(to text: inout [UInt8]) throws(PropertyListError) {
        let start = offset
        // The longest meaningful reference is `&#x10FFFF;`, possibly with leading zeros.
        let limit = min(bytes.count, start + 32)
        var end = start + 1
        while end < limit, bytes[end] != 0x3B { end += 1 }
        guard end < limit else { throw PropertyListError(.entity, at: start) }
        let name = String(decoding: bytes[start + 1..<end], as: UTF8.self)
        guard let scalar = XMLReference.scalar(name) else {
            throw PropertyListError(.entity, at: start)
        }
        text += String(scalar).utf8
        offset = end + 1
    }

    // MARK: Bytes

    private func isNameByte(_ byte: UInt8) -> Bool {
        !Byte.isJSONWhitespace(byte) && byte != 0x2F && byte != 0x3E && byte != 0x3C && byte >= 0x21
    }

    private func begins(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard bytes.count - offset >= length else { return false }
        let expected = UnsafeBufferPointer(start: literal.utf8Start, count: length)
        return bytes[offset..<offset + length].elementsEqual(expected)
    }

    private mutating func skip(behind literal: StaticString) throws(PropertyListError) {
        while offset < bytes.count {
            if begins(literal) {
                offset += literal.utf8CodeUnitCount
                return
            }
            offset += 1
        }
        throw PropertyListError(.truncated, at: offset)
    }

    private mutating func skipWhitespace() {
        while offset < bytes.count, Byte.isJSONWhitespace(bytes[offset]) { offset += 1 }
    }
}

/// The text between `&` and `;` in XML.
enum XMLReference {
    /// The character of one of XML's five predefined entities or of a numeric reference; nil for
    /// any other name, because property lists define none and custom entities could expand without
    /// limit.
    static func scalar(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default: number(name)
        }
    }

    private static func number(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.hasPrefix("#x")
        let digits = name.dropFirst(isHex ? 2 : 1)
        guard digits.utf8.allSatisfy({ Byte.hexValue($0) != nil }),
            let value = UInt32(digits, radix: isHex ? 16 : 10),
            let scalar = Unicode.Scalar(value), XMLText.canContain(scalar)
        else { return nil }
        return scalar
    }
}
