internal import ProxydHTTPModel

/// Finds the start and the end of the value after a name.
extension SecretFinder {
    /// How far the end of a value in brackets is searched for.
    private static let bracketByteCountMax = 4 << 10

    /// The value after the separator: in quotation marks, in brackets, up to a delimiter, or on the
    /// following lines.
    func value(
        _ bytes: Span<UInt8>, from position: Int, ofName name: Range<Int>,
        _ hint: SecretHint = .always
    ) -> Range<Int>? {
        let start = startOfValue(bytes, position)
        guard start < bytes.count else { return nil }
        if TextBytes.isLineEnd(bytes[start]) || isBlockMark(bytes, start) {
            return valueOnNextLine(bytes, from: start, ofName: name)
        }
        if let quoted = quotedValue(bytes, from: start) { return quoted }
        let isApart = start > position || bytes[position - 1] != UInt8(ascii: "=")
        if isApart, "([{".utf8.contains(bytes[start]) {
            // An object may have telling members of its own, and a long one has other content.
            let isObject = hint == .ifSimple && bytes[start] == UInt8(ascii: "{")
            if let end = endOfBracket(bytes, from: start) { return isObject ? nil : start..<end }
            if bytes.count - start > SecretFinder.bracketByteCountMax { return nil }
        }
        return unquotedValue(bytes, from: start)
    }

    /// Where a value starts: after blanks, and after a YAML tag or anchor.
    private func startOfValue(_ bytes: Span<UInt8>, _ position: Int) -> Int {
        let start = TextBytes.skip(bytes, position, while: TextBytes.isBlank)
        guard start > position, start < bytes.count else { return start }
        switch bytes[start] {
        case UInt8(ascii: "!"), UInt8(ascii: "&"):
            let word = TextBytes.skip(bytes, start, most: 64) { $0 > 0x20 }
            let next = TextBytes.skip(bytes, word, while: TextBytes.isBlank)
            return next > word ? next : start
        case UInt8(ascii: "#"):
            return TextBytes.skip(bytes, start, most: 256) { !TextBytes.isLineEnd($0) }
        default: return start
        }
    }

    // MARK: Quotation marks

    /// The content of quotation marks that open at a position, possibly escaped, or after a prefix
    /// such as `b` in Python; nil if there are none.
    func quotedValue(_ bytes: Span<UInt8>, from start: Int) -> Range<Int>? {
        var open = TextBytes.skip(bytes, start) { $0 == 0x5C }
        let isEscaped = open > start
        if !isEscaped {
            open = TextBytes.skip(bytes, open, most: 2) { "bBrRfFuU@$".utf8.contains($0) }
        }
        guard open < bytes.count, TextBytes.isQuote(bytes[open]) else { return nil }
        if let block = block(bytes, from: open) { return block }
        let quote = bytes[open]
        var end = open + 1
        while end < bytes.count {
            if bytes[end] == 0x5C {
                // A mark after a backslash closes only what was opened by such a mark.
                if isEscaped, end + 1 < bytes.count, bytes[end + 1] == quote { break }
                end += 1
            } else if bytes[end] == quote {
                guard isDoubled(bytes, quoteAt: end, after: open) else { break }
            }
            end += 1
        }
        return open + 1..<min(end, bytes.count)
    }

    /// Whether a mark does not close the value: in SQL, two of them are one, and no text follows an
    /// empty value immediately.
    private func isDoubled(_ bytes: Span<UInt8>, quoteAt index: Int, after open: Int) -> Bool {
        let isFirst = index == open + 1
        let next = isFirst || bytes[index - 1] == bytes[index] ? index + 1 : index + 2
        guard next < bytes.count, next == index + 1 || bytes[index + 1] == bytes[index] else {
            return false
        }
        return TextBytes.isLetterOrDigit(bytes[next])
    }

    /// The content of a block string in GraphQL or Python: three marks on either side, escaped or
    /// not.
    private func block(_ bytes: Span<UInt8>, from start: Int) -> Range<Int>? {
        let marks: [StaticString] = [##"\"\"\""##, #"""""#, "'''"]
        let isEscaped = start > 0 && bytes[start - 1] == 0x5C
        let first = isEscaped ? start - 1 : start
        guard let mark = marks.first(where: { TextBytes.begins(bytes, first, $0) }) else {
            return nil
        }
        let begin = first + mark.utf8CodeUnitCount
        var end = begin
        while end < bytes.count, !TextBytes.begins(bytes, end, mark) { end += 1 }
        return begin..<end
    }

    // MARK: Brackets

    /// The end of a list, an object or an expression; nil if it is very long, or not closed.
    private func endOfBracket(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        let limit = min(bytes.count, start + SecretFinder.bracketByteCountMax)
        var depth = 0
        var index = start
        while index < limit {
            switch bytes[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                // Brackets in a text do not count, if it ends on the line.
                let quote = bytes[index]
                let end = TextBytes.skip(bytes, index + 1, most: 256) {
                    $0 != quote && !TextBytes.isLineEnd($0)
                }
                if end < limit, bytes[end] == quote { index = end }
            default: break
            }
            index += 1
            if depth == 0 { return index }
        }
        return nil
    }

    // MARK: Delimiters

    /// A value without quotation marks, including what follows if it is an authentication scheme.
    func unquotedValue(_ bytes: Span<UInt8>, from position: Int) -> Range<Int>? {
        guard let word = word(bytes, from: position) else { return nil }
        guard word.upperBound < bytes.count, TextBytes.isBlank(bytes[word.upperBound]),
            AuthenticationScheme.isKnown(bytes.extracting(word)),
            let credentials = self.word(bytes, from: word.upperBound)
        else { return word }
        return word.lowerBound..<credentials.upperBound
    }

    /// The bytes up to a space, a quotation mark, `&`, a bracket that they did not open, or a comma
    /// or semicolon that ends a value.
    private func word(_ bytes: Span<UInt8>, from position: Int) -> Range<Int>? {
        let start = TextBytes.skip(bytes, position, while: TextBytes.isBlank)
        guard start < bytes.count, syntax != .markup || bytes[start] != UInt8(ascii: "<") else {
            return nil
        }
        let isAngled = bytes[start] == UInt8(ascii: "<")
        var depth = 0
        var index = start
        loop: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
                // The quoted part of an expression: `e.token||"x"`.
                if index > start, "|?+:,(".utf8.contains(bytes[index - 1]),
                    let quoted = quotedValue(bytes, from: index), quoted.upperBound < bytes.count
                {
                    index = quoted.upperBound
                } else {
                    break loop
                }
            case 0...0x20, 0x7F, UInt8(ascii: "&"): break loop
            case UInt8(ascii: "<"), UInt8(ascii: ">"): if !isAngled { break loop }
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                if index > start, let end = endOfBracket(bytes, from: index) {
                    index = end - 1
                } else {
                    depth += 1
                }
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth < 0 { break loop }
            case UInt8(ascii: "\\"): if isEscape(bytes, index) { break loop }
            case UInt8(ascii: ";") where syntax == .code: break loop
            case UInt8(ascii: ","), UInt8(ascii: ";"): if endsValue(bytes, index) { break loop }
            default: break
            }
            index += 1
        }
        return index > start ? start..<index : nil
    }

    /// Whether a backslash starts the escape of a character that ends a value.
    private func isEscape(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        guard index + 1 < bytes.count else { return true }
        return "\"'nrtu".utf8.contains(bytes[index + 1])
    }

    /// Whether a comma or semicolon ends a value: before a space, or before another name.
    private func endsValue(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        let next = TextBytes.skip(bytes, index + 1) { TextBytes.isQuote($0) }
        guard next < bytes.count, next == index + 1, !TextBytes.isSpace(bytes[next]),
            !")]}<".utf8.contains(bytes[next])
        else { return true }
        return isNamed(bytes, next)
    }

    /// Whether a name and its separator are at a position.
    private func isNamed(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        let name = TextBytes.skip(bytes, start, most: 64) { TextBytes.isQuote($0) }
        var end = TextBytes.skip(bytes, name, most: 64, while: TextBytes.isName)
        guard end > name else { return false }
        end = TextBytes.skip(bytes, end, most: 8) { TextBytes.isQuote($0) || $0 == 0x20 }
        return end < bytes.count && (bytes[end] == UInt8(ascii: "=") || bytes[end] == 0x3A)
    }

    // MARK: Lines

    /// The rest of a line that is a header field, up to the quotation mark that opened before it.
    func line(
        _ bytes: Span<UInt8>, from position: Int, ofField name: Range<Int>
    ) -> Range<Int>? {
        let start = TextBytes.skip(bytes, position, while: TextBytes.isBlank)
        if let quoted = quotedValue(bytes, from: start) { return quoted }
        if start < bytes.count, "([{".utf8.contains(bytes[start]),
            let end = endOfBracket(bytes, from: start)
        {
            return start..<end
        }
        let opener = name.lowerBound > 0 ? bytes[name.lowerBound - 1] : 0
        let isQuoted = TextBytes.isQuote(opener)
        return
            start..<TextBytes.skip(bytes, start) {
                !TextBytes.isLineEnd($0) && $0 != UInt8(ascii: "\"") && !(isQuoted && $0 == opener)
            }
    }

    /// Whether only the mark of a block follows on the line, as in YAML.
    private func isBlockMark(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        guard bytes[start] == UInt8(ascii: "|") || bytes[start] == UInt8(ascii: ">") else {
            return false
        }
        let end = TextBytes.skip(bytes, start + 1, most: 4) { "+-0123456789 ".utf8.contains($0) }
        guard end < bytes.count else { return false }
        let isComment = bytes[end] == UInt8(ascii: "#") && bytes[end - 1] == 0x20
        return isComment || TextBytes.isLineEnd(bytes[end])
    }

    /// The value on the following lines: in quotation marks, the lines that are indented more than
    /// the name's, or the first word of the next line, unless that is another name.
    private func valueOnNextLine(
        _ bytes: Span<UInt8>, from position: Int, ofName name: Range<Int>
    ) -> Range<Int>? {
        let mark = TextBytes.skip(bytes, position) { !TextBytes.isLineEnd($0) }
        let start = TextBytes.skip(bytes, mark, most: 1_024, while: TextBytes.isSpace)
        guard start < bytes.count, !TextBytes.isSpace(bytes[start]),
            bytes[start] != UInt8(ascii: "<")
        else { return nil }
        let own = indentation(bytes, ofLineAt: name.lowerBound)
        let isDeeper = indentation(bytes, ofLineAt: start) > own
        if !isDeeper, isNamed(bytes, start) { return nil }
        if let quoted = quotedValue(bytes, from: start) { return quoted }
        guard isDeeper else { return unquotedValue(bytes, from: start) }
        if "([{".utf8.contains(bytes[start]), let end = endOfBracket(bytes, from: start) {
            return start..<end
        }
        return start..<endOfBlock(bytes, from: start, indentation: own)
    }

    /// The end of the last line that is indented more than a name.
    private func endOfBlock(_ bytes: Span<UInt8>, from start: Int, indentation own: Int) -> Int {
        var end = start
        while true {
            end = TextBytes.skip(bytes, end) { !TextBytes.isLineEnd($0) }
            let next = TextBytes.skip(bytes, end, most: 1_024, while: TextBytes.isSpace)
            guard next < bytes.count, indentation(bytes, ofLineAt: next) > own else { return end }
            end = next
        }
    }

    /// How far a line is indented. The dash of an item in a list counts as a space.
    private func indentation(_ bytes: Span<UInt8>, ofLineAt position: Int) -> Int {
        let start = TextBytes.skipBack(bytes, position, most: 1_024) { !TextBytes.isLineEnd($0) }
        return TextBytes.skip(bytes, start) { $0 == 0x20 || $0 == 0x09 || $0 == 0x2D } - start
    }
}

/// The authentication schemes that are kept, because they are useful and not secret.
enum AuthenticationScheme {
    private static let known: [StaticString] = [
        "basic", "bearer", "digest", "negotiate", "ntlm", "oauth", "hawk", "aws4-hmac-sha256",
        "token", "apikey", "dpop", "hoba", "mutual", "scram-sha-1", "scram-sha-256", "vapid",
    ]

    static func isKnown(_ word: Span<UInt8>) -> Bool {
        known.contains { ASCII.equalsIgnoringCase(word, $0) }
    }
}
