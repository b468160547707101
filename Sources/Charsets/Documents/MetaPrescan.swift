/// Finds the `<meta>` that names the charset of an HTML document (HTML §13.2.3.2, "prescan a byte
/// stream to determine its encoding").
struct MetaPrescan {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The charset; nil if no `<meta>` names a known one.
    func charset() -> Charset? {
        var scan = self
        return scan.find()
    }

    private mutating func find() -> Charset? {
        while index < bytes.count {
            if begins(with: "<!--") {
                skipComment()
            } else if isMeta() {
                index += 6
                if let charset = meta() { return charset }
            } else if byte(at: 0) == UInt8(ascii: "<") {
                skipTag()
            } else {
                index += 1
            }
        }
        return nil
    }

    private func byte(at offset: Int) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func begins(with text: StaticString) -> Bool {
        let expected = text.withUTF8Buffer { Array($0) }
        guard index + expected.count <= bytes.count else { return false }
        return expected.indices.allSatisfy { lowercased(bytes[index + $0]) == expected[$0] }
    }

    private func isMeta() -> Bool {
        guard begins(with: "<meta"), let next = byte(at: 5) else { return false }
        return DocumentSyntax.isSpace(next) || next == UInt8(ascii: "/")
    }

    private func lowercased(_ byte: UInt8) -> UInt8 {
        0x41...0x5A ~= byte ? byte | 0x20 : byte
    }

    /// Moves after a comment; the hyphens of its start may be those of its end.
    private mutating func skipComment() {
        index += 2
        while index < bytes.count {
            if begins(with: "-->") {
                index += 3
                return
            }
            index += 1
        }
    }

    private mutating func skipTag() {
        index += 1
        let isEndTag = byte(at: 0) == UInt8(ascii: "/")
        let first = byte(at: isEndTag ? 1 : 0)
        if let first, 0x61...0x7A ~= lowercased(first) {
            while let byte = byte(at: 0), !DocumentSyntax.isSpace(byte), byte != 0x3E { index += 1 }
            while attribute() != nil {}
        } else if let byte = byte(at: 0), isEndTag || byte == 0x21 || byte == 0x3F {
            while let byte = self.byte(at: 0), byte != 0x3E { index += 1 }
        }
    }

    /// Reads the attributes of a `<meta>`.
    private mutating func meta() -> Charset? {
        var names: Set<String> = []
        var isPragma = false
        var needsPragma: Bool?
        var charset: Charset?
        while let (name, value) = attribute() {
            guard names.insert(name).inserted else { continue }
            switch name {
            case "http-equiv": isPragma = value == "content-type"
            case "content":
                guard charset == nil, let found = MetaPrescan.charset(inContent: value) else {
                    continue
                }
                (charset, needsPragma) = (found, true)
            case "charset": (charset, needsPragma) = (Charset(declared: value.utf8), false)
            default: continue
            }
        }
        guard let needsPragma, !needsPragma || isPragma else { return nil }
        return charset
    }

    /// Reads the next attribute in lower case; nil at the end of the tag.
    private mutating func attribute() -> (name: String, value: String)? {
        while let byte = byte(at: 0), DocumentSyntax.isSpace(byte) || byte == 0x2F { index += 1 }
        guard let first = byte(at: 0), first != 0x3E else { return nil }
        var name: [UInt8] = []
        while let byte = byte(at: 0), byte != 0x2F, byte != 0x3E, !DocumentSyntax.isSpace(byte),
            byte != 0x3D || name.isEmpty
        {
            name.append(lowercased(byte))
            index += 1
        }
        skipSpace()
        guard byte(at: 0) == 0x3D else { return (String(decoding: name, as: UTF8.self), "") }
        index += 1
        skipSpace()
        return (String(decoding: name, as: UTF8.self), String(decoding: value(), as: UTF8.self))
    }

    private mutating func skipSpace() {
        while let byte = byte(at: 0), DocumentSyntax.isSpace(byte) { index += 1 }
    }

    private mutating func value() -> [UInt8] {
        var value: [UInt8] = []
        guard let quote = byte(at: 0), quote == 0x22 || quote == 0x27 else {
            while let byte = byte(at: 0), !DocumentSyntax.isSpace(byte), byte != 0x3E {
                value.append(lowercased(byte))
                index += 1
            }
            return value
        }
        index += 1
        while let byte = byte(at: 0) {
            index += 1
            if byte == quote { break }
            value.append(lowercased(byte))
        }
        return value
    }

    /// The charset in the `content` of a pragma (HTML §2.6.5, "extracting a character encoding from
    /// a meta element").
    private static func charset(inContent text: String) -> Charset? {
        var rest = Array(text.utf8)[...]
        while let place = rest.firstRange(of: Array("charset".utf8)) {
            rest = rest[place.upperBound...].drop(while: DocumentSyntax.isSpace)
            guard rest.first == 0x3D else { continue }
            rest = rest.dropFirst().drop(while: DocumentSyntax.isSpace)
            guard let quote = rest.first, quote == 0x22 || quote == 0x27 else {
                return Charset(declared: rest.prefix { !DocumentSyntax.isSpace($0) && $0 != 0x3B })
            }
            let label = rest.dropFirst().prefix { $0 != quote }
            return label.endIndex < rest.endIndex ? Charset(declared: label) : nil
        }
        return nil
    }
}
