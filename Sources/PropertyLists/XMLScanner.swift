internal import ProxydParameterCoding

/// Finds the tags and texts of an XML property list. Attributes are discarded, comments and
/// processing instructions are skipped, and nothing is ever fetched or expanded.
///
/// It shares no code with the views of markup: those accept anything, also HTML, cut long lines and
/// read bytes as they load, and this rejects everything that a property list may not contain.
struct XMLScanner {
    /// A tag.
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

    private let octets: [UInt8]
    private(set) var offset = 0

    init(_ octets: [UInt8]) {
        self.octets = octets
    }

    /// Checks that the document is UTF-8 and skips its byte order mark and declaration.
    mutating func begin() throws(PropertyListError) {
        try checkUTF8()
        if octets.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        skipWhitespace()
        guard offset < octets.count, octets[offset] == 0x3C else {
            throw PropertyListError(.notAPropertyList, at: offset)
        }
        if begins("<?xml") {
            let start = offset
            try skip(behind: "?>")
            try checkEncoding(octets[start..<offset])
        }
    }

    /// The next tag; nil at the end. Only white space is allowed between tags.
    mutating func nextTag() throws(PropertyListError) -> Tag? {
        while true {
            skipWhitespace()
            guard offset < octets.count else { return nil }
            guard octets[offset] == 0x3C else {
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
        while offset < octets.count {
            let octet = octets[offset]
            switch octet {
            case 0x26:
                try appendReference(to: &text)
            case 0x3C where begins("<![CDATA["):
                try appendSection(to: &text)
            case 0x3C where begins("<!--"):
                offset += 4
                try skip(behind: "-->")
            case 0x3C:
                let end = try self.tag()
                guard end.kind == .end, end.name == tag.name else {
                    throw PropertyListError(.unexpectedContent, at: end.offset)
                }
                return String(decoding: text, as: UTF8.self)
            default:
                try appendOctet(to: &text)
            }
        }
        throw PropertyListError(.truncated, at: offset)
    }

    /// The text of a CDATA section, in which nothing but its end is markup.
    private mutating func appendSection(to text: inout [UInt8]) throws(PropertyListError) {
        offset += 9
        while offset < octets.count {
            if begins("]]>") {
                offset += 3
                return
            }
            try appendOctet(to: &text)
        }
        throw PropertyListError(.truncated, at: offset)
    }

    private mutating func appendOctet(to text: inout [UInt8]) throws(PropertyListError) {
        let octet = octets[offset]
        guard octet >= 0x20 || octet == 0x09 || octet == 0x0A || octet == 0x0D else {
            throw PropertyListError(.invalidText, at: offset)
        }
        offset += 1
        // Every line end is normalized to LF (XML 1.0 §2.11).
        text.append(octet == 0x0D ? 0x0A : octet)
        if octet == 0x0D, offset < octets.count, octets[offset] == 0x0A { offset += 1 }
    }

    // MARK: Markup

    private mutating func tag() throws(PropertyListError) -> Tag {
        let start = offset
        offset += 1
        let isEnd = offset < octets.count && octets[offset] == 0x2F
        if isEnd { offset += 1 }
        let nameStart = offset
        while offset < octets.count, isNameOctet(octets[offset]) { offset += 1 }
        let name = String(decoding: octets[nameStart..<offset], as: UTF8.self)
        guard !name.isEmpty else { throw PropertyListError(.unexpectedContent, at: start) }
        var quote: UInt8?
        while offset < octets.count {
            let octet = octets[offset]
            offset += 1
            if let open = quote {
                if octet == open { quote = nil }
            } else if octet == 0x22 || octet == 0x27 {
                quote = octet
            } else if octet == 0x3C {
                throw PropertyListError(.unexpectedContent, at: offset - 1)
            } else if octet == 0x3E {
                let isEmpty = octets[offset - 2] == 0x2F && offset - 2 >= nameStart
                return Tag(
                    name: name, kind: isEnd ? .end : isEmpty ? .empty : .start, offset: start)
            }
        }
        throw PropertyListError(.truncated, at: offset)
    }

    /// A document type may name a DTD, which is not read; one with declarations is rejected.
    private mutating func skipDocumentType() throws(PropertyListError) {
        while offset < octets.count, octets[offset] != 0x3E {
            if octets[offset] == 0x5B { throw PropertyListError(.entity, at: offset) }
            offset += 1
        }
        guard offset < octets.count else { throw PropertyListError(.truncated, at: offset) }
        offset += 1
    }

    private func checkUTF8() throws(PropertyListError) {
        let span = octets.span
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: span)
        } catch {
            let isUTF16 = octets.starts(with: [0xFE, 0xFF]) || octets.starts(with: [0xFF, 0xFE])
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
        let limit = min(octets.count, start + 32)
        var end = start + 1
        while end < limit, octets[end] != 0x3B { end += 1 }
        guard end < limit else { throw PropertyListError(.entity, at: start) }
        let name = String(decoding: octets[start + 1..<end], as: UTF8.self)
        guard let scalar = XMLReference.scalar(name) else {
            throw PropertyListError(.entity, at: start)
        }
        text += String(scalar).utf8
        offset = end + 1
    }

    // MARK: Bytes

    private func isNameOctet(_ octet: UInt8) -> Bool {
        !Octet.isJSONWhitespace(octet) && octet != 0x2F && octet != 0x3E && octet != 0x3C
            && octet >= 0x21
    }

    private func begins(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard octets.count - offset >= length else { return false }
        let expected = UnsafeBufferPointer(start: literal.utf8Start, count: length)
        return octets[offset..<offset + length].elementsEqual(expected)
    }

    private mutating func skip(behind literal: StaticString) throws(PropertyListError) {
        while offset < octets.count {
            if begins(literal) {
                offset += literal.utf8CodeUnitCount
                return
            }
            offset += 1
        }
        throw PropertyListError(.truncated, at: offset)
    }

    private mutating func skipWhitespace() {
        while offset < octets.count, Octet.isJSONWhitespace(octets[offset]) { offset += 1 }
    }
}
