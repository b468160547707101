internal import ProxydCivilTime

/// Parses a TOML 1.0 text into a tree with positions.
///
/// This is our own parser, because others sort keys, truncate strings at an escaped NUL, crash on a
/// syntax error, or give no positions of values.
struct TOMLReader {
    private var cursor: TOMLCursor
    private var tree = TOMLTree()
    /// The table of the last header, which keys are added to.
    private var table = TOMLTree.root

    static func read(_ text: String) throws(TOMLSyntaxError) -> TOMLTable {
        var reader = TOMLReader(cursor: TOMLCursor(text))
        while reader.skipToStatement() { try reader.readStatement() }
        return reader.tree.finished
    }

    private init(cursor: TOMLCursor) { self.cursor = cursor }

    /// Skips white space, line endings and comments; returns false at the end.
    private mutating func skipToStatement() -> Bool {
        repeat {
            cursor.skipSpaces()
            skipComment()
        } while cursor.skipLineEnd()
        return !cursor.isAtEnd
    }

    private mutating func skipComment() {
        guard cursor.peek() == UInt8(ascii: "#") else { return }
        _ = cursor.takeAll { !$0.isControl || $0 == .tab }
    }

    private mutating func readStatement() throws(TOMLSyntaxError) {
        if cursor.take(UInt8(ascii: "[")) {
            let isArray = cursor.take(UInt8(ascii: "["))
            let path = try readKey()
            try expect(UInt8(ascii: "]"), "] after the table's name")
            if isArray { try expect(UInt8(ascii: "]"), "]] after the table's name") }
            table = isArray ? try tree.appendTable(path) : try tree.define(path)
        } else {
            try readMember(of: table)
        }
        cursor.skipSpaces()
        skipComment()
        guard cursor.isAtEnd || cursor.isAtLineEnd else { throw expected("the line to end") }
    }

    private mutating func readMember(of table: TOMLTree.Index) throws(TOMLSyntaxError) {
        let path = try readKey()
        try expect(UInt8(ascii: "="), "= after the key")
        cursor.skipSpaces()
        let isTable = cursor.peek() == UInt8(ascii: "{")
        let position = cursor.position
        try readValue(into: try tree.set(path, in: table, isTable: isTable, at: position))
    }

    /// Reads a key, split at its dots, and skips the spaces around it.
    private mutating func readKey() throws(TOMLSyntaxError) -> [TOMLTree.KeyPart] {
        var path: [TOMLTree.KeyPart] = []
        repeat {
            cursor.skipSpaces()
            let position = cursor.position
            path.append(TOMLTree.KeyPart(name: try readKeyPart(), position: position))
            cursor.skipSpaces()
        } while cursor.take(UInt8(ascii: "."))
        return path
    }

    private mutating func readKeyPart() throws(TOMLSyntaxError) -> String {
        if let first = cursor.peek(), first == .quote || first == .apostrophe {
            let line = cursor.line
            guard cursor.peek(1) != first || cursor.peek(2) != first else {
                throw TOMLSyntaxError("a key cannot be a multi-line string", at: line)
            }
            return try TOMLStringScanner.read(&cursor).text
        }
        let name = cursor.takeAll(while: Self.isBareKeyByte)
        guard !name.isEmpty else { throw expected("a key") }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func readValue(into index: TOMLTree.Index) throws(TOMLSyntaxError) {
        switch cursor.peek() {
        case .quote, .apostrophe:
            tree.fill(index, with: .string(try TOMLStringScanner.read(&cursor)))
        case UInt8(ascii: "["): try readArray(index)
        case UInt8(ascii: "{"): try readInlineTable(index)
        default: tree.fill(index, with: try readScalar())
        }
    }

    private mutating func readArray(_ index: TOMLTree.Index) throws(TOMLSyntaxError) {
        try expect(UInt8(ascii: "["), "an array")
        while skipToStatement(), cursor.peek() != UInt8(ascii: "]") {
            let isTable = cursor.peek() == UInt8(ascii: "{")
            let position = cursor.position
            try readValue(into: try tree.append(to: index, isTable: isTable, at: position))
            guard skipToStatement(), cursor.take(UInt8(ascii: ",")) else { break }
        }
        try expect(UInt8(ascii: "]"), ", or ] in the array")
    }

    private mutating func readInlineTable(_ index: TOMLTree.Index) throws(TOMLSyntaxError) {
        try expect(UInt8(ascii: "{"), "an inline table")
        cursor.skipSpaces()
        if cursor.take(UInt8(ascii: "}")) { return }
        repeat {
            try readMember(of: index)
            cursor.skipSpaces()
        } while cursor.take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"), ", or } in the inline table, which must be on one line")
    }

    private mutating func readScalar() throws(TOMLSyntaxError) -> TOMLNode.Content {
        let line = cursor.line
        var token = Array(cursor.takeAll(while: Self.isScalarByte))
        // The only value that can contain a space: 1979-05-27 07:32:00.
        if cursor.peek() == .space, cursor.peek(1).map(TimeText.isDigit) == true,
            TOMLMoment.kind(of: token) == "date"
        {
            _ = cursor.take()
            token += [.space] + cursor.takeAll(while: Self.isScalarByte)
        }
        guard !token.isEmpty else { throw expected("a value") }
        guard let content = TOMLScalar.read(token) else {
            let text = String(decoding: token, as: UTF8.self)
            let reason =
                TOMLScalar.isWrittenAsNumber(token)
                ? "is too large" : "is not a value; strings need quotes"
            throw TOMLSyntaxError("\(text) \(reason)", at: line)
        }
        return content
    }

    private mutating func expect(_ byte: UInt8, _ what: String) throws(TOMLSyntaxError) {
        guard cursor.take(byte) else { throw expected(what) }
    }

    private func expected(_ what: String) -> TOMLSyntaxError {
        var beyond = cursor
        let found =
            if cursor.isAtEnd {
                "the end of the file"
            } else if cursor.isAtLineEnd {
                "the end of the line"
            } else {
                beyond.takeScalar().map { "\"\($0)\"" } ?? "nothing"
            }
        return TOMLSyntaxError("expected \(what), found \(found)", at: cursor.line)
    }

    private static func isBareKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isScalarByte(_ byte: UInt8) -> Bool {
        isBareKeyByte(byte) || "+.:".utf8.contains(byte)
    }
}

/// A position in the bytes of a text, with the means to advance.
struct TOMLCursor: Sendable {
    private let bytes: [UInt8]
    private var offset = 0
    private(set) var line = 1
    private var column = 1

    init(_ text: String) {
        bytes = Array(text.utf8)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.starts(with: mark) { offset = mark.count }
    }

    var position: TextPosition { TextPosition(line: line, column: column) }
    var isAtEnd: Bool { offset >= bytes.count }

    /// The next byte, or one further on; nil after the end.
    func peek(_ distance: Int = 0) -> UInt8? {
        let index = offset + distance
        return index < bytes.count ? bytes[index] : nil
    }

    /// Whether a line ends here, with LF or CR LF.
    var isAtLineEnd: Bool { peek() == .lineFeed || (peek() == .cr && peek(1) == .lineFeed) }

    mutating func take() -> UInt8? {
        guard let byte = peek() else { return nil }
        offset += 1
        if byte == .lineFeed {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
        return byte
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        _ = take()
        return true
    }

    mutating func takeScalar() -> Unicode.Scalar? {
        guard let first = take() else { return nil }
        var value = UInt32(first)
        switch first {
        case 0xF0...: value &= 0x07
        case 0xE0...: value &= 0x0F
        case 0xC0...: value &= 0x1F
        default: break
        }
        while let byte = peek(), byte & 0xC0 == 0x80 {
            value = value << 6 | UInt32(byte & 0x3F)
            _ = take()
        }
        return Unicode.Scalar(value)
    }

    mutating func takeAll(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = offset
        while let byte = peek(), isWanted(byte) { _ = take() }
        return bytes[start..<offset]
    }

    mutating func skipSpaces() { _ = takeAll { $0 == .space || $0 == .tab } }

    mutating func skipLineEnd() -> Bool {
        guard isAtLineEnd else { return false }
        _ = take(.cr)
        return take(.lineFeed)
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let cr = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let backslash = UInt8(ascii: "\\")

    /// Whether the byte is a control character; of these, TOML allows only tabs and line endings.
    var isControl: Bool { self < 0x20 || self == 0x7F }
}
