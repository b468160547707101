internal import ProxydHTTPModel

/// Finds credentials in bytes of unknown syntax: values of telling names, credentials in URLs, and
/// those with a recognisable shape. It does not parse its input, so it hides too much rather than
/// too little.
///
/// The bytes are searched as they are, and once more at each level of escapes; see `UnescapedText`.
struct SecretScanner: Sendable {
    /// A text with escapes at more levels than this is hidden as a whole.
    private static let levelCountMax = 8
    private static let placeholder = Array(Redaction.placeholder.utf8)

    private let names: SecretNames

    init(_ names: SecretNames) { self.names = names }

    /// The bytes without credentials; nil if there are none.
    func redacted(_ bytes: [UInt8], syntax: TextSyntax = .free) -> [UInt8]? {
        let found = secrets(in: bytes.span, syntax: syntax)
        return found.isEmpty ? nil : SecretScanner.replacing(found, in: bytes)
    }

    func containsSecrets(_ bytes: Span<UInt8>) -> Bool { !secrets(in: bytes).isEmpty }

    /// Bytes with the placeholder in place of ranges.
    static func replacing(_ ranges: [Range<Int>], in bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        for range in ranges {
            output += bytes[copied..<range.lowerBound]
            output += placeholder
            copied = range.upperBound
        }
        return output + bytes[copied...]
    }

    /// The ranges of credentials, in order.
    func secrets(in bytes: Span<UInt8>, syntax: TextSyntax = .free) -> [Range<Int>] {
        let finder = SecretFinder(names, syntax: syntax)
        var found = finder.secrets(in: bytes)
        guard var level = UnescapedText(bytes) else { return SecretScanner.merged(found) }
        var count = 0
        while level.decodeLevel() {
            count += 1
            guard count <= SecretScanner.levelCountMax else { return [0..<bytes.count] }
            found += finder.secrets(in: level.bytes.span).map(level.source)
        }
        return SecretScanner.merged(found)
    }

    private static func merged(_ found: [Range<Int>]) -> [Range<Int>] {
        guard found.count > 1 else { return found }
        var merged: [Range<Int>] = []
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}

/// How values are separated from what follows them.
enum TextSyntax {
    case free
    /// XML and HTML: `<` starts a tag, and is not part of a value.
    case markup
    /// JavaScript and CSS: a value without quotation marks is an expression, unless it looks
    /// machine-made, as in a URL.
    case code
}

/// Finds credentials at one level of a text.
struct SecretFinder {
    let names: SecretNames
    let syntax: TextSyntax

    init(_ names: SecretNames, syntax: TextSyntax) {
        self.names = names
        self.syntax = syntax
    }

    /// The ranges of credentials. They may overlap, and those in tags are not in order.
    func secrets(in bytes: Span<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        var tag: Int?
        while index < bytes.count {
            let byte = bytes[index]
            var value: Range<Int>?
            var end = index + 1
            if TextBytes.isName(byte) {
                end = TextBytes.skip(bytes, end, while: TextBytes.isName)
                value = secret(bytes, ofToken: index..<end)
            } else if byte == UInt8(ascii: "<") {
                tag = index
            } else if byte == UInt8(ascii: ">"), let start = tag {
                tag = nil
                let attributes = attributes(bytes, ofTag: start..<index)
                found += secrets(in: attributes, bytes)
                value = content(bytes, ofTag: start..<index, attributes)
            } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "@") {
                value = user(bytes, at: index)
            }
            index = end
            guard let value, !value.isEmpty else { continue }
            index = max(end, startOfName(bytes, before: value.upperBound))
            if !TextBytes.equals(bytes, value, "redacted") { found.append(value) }
        }
        return found
    }

    /// The end of a value, or the start of a name at its end: if a quotation mark or a bracket is
    /// missing, a value may extend to a name with a value of its own, or into that value.
    private func startOfName(_ bytes: Span<UInt8>, before end: Int) -> Int {
        let isBetween = { (byte: UInt8) in
            TextBytes.isQuote(byte) || TextBytes.isSpace(byte) || "\\=:>]".utf8.contains(byte)
        }
        let first = TextBytes.skipBack(bytes, end, most: 64, while: isBetween)
        let last = TextBytes.skip(bytes, end, most: 64, while: isBetween)
        let isSeparated = (first..<last).contains {
            bytes[$0] == UInt8(ascii: "=") || bytes[$0] == UInt8(ascii: ":")
        }
        guard isSeparated else { return end }
        return TextBytes.skipBack(
            bytes, first, most: NameWords.byteCountMax, while: TextBytes.isName)
    }

    /// The credential that a token is, or that follows it.
    private func secret(_ bytes: Span<UInt8>, ofToken token: Range<Int>) -> Range<Int>? {
        if names.knowsMore, let shape = SecretShape.range(bytes, token) { return shape }
        var next = TextBytes.skip(bytes, token.upperBound) { TextBytes.isQuote($0) || $0 == 0x5C }
        let isQuoted = next > token.upperBound
        if isQuoted, next < bytes.count, bytes[next] == UInt8(ascii: "]") { next += 1 }
        let blank = next
        next = TextBytes.skip(bytes, next, while: TextBytes.isBlank)
        // `token += "x"`, `password?: "x"`.
        let operatorEnd = TextBytes.skip(bytes, next, most: 2) { "+|?&".utf8.contains($0) }
        if operatorEnd < bytes.count, "=:".utf8.contains(bytes[operatorEnd]) { next = operatorEnd }
        guard next < bytes.count else { return nil }
        switch bytes[next] {
        case UInt8(ascii: "="):
            let end = separator(bytes, next, "=>~")
            let isComparison = end - next > 1 && bytes[next + 1] == UInt8(ascii: "=")
            let start = TextBytes.skip(bytes, end, while: TextBytes.isBlank)
            if isComparison, start < bytes.count, !TextBytes.isQuote(bytes[start]) { return nil }
            return value(bytes, of: token, after: end)
        case UInt8(ascii: ":"): return value(bytes, of: token, after: separator(bytes, next, "=:"))
        case UInt8(ascii: ","): return isQuoted ? argument(bytes, token, after: next + 1) : nil
        case 0x0A, 0x0D: return separatorOnNextLine(bytes, token, next)
        default:
            let isApart = next > blank || bytes[next] == UInt8(ascii: "+")
            return isApart ? apart(bytes, token, next) : nil
        }
    }

    private func separator(_ bytes: Span<UInt8>, _ start: Int, _ more: StaticString) -> Int {
        let more = UnsafeBufferPointer(start: more.utf8Start, count: more.utf8CodeUnitCount)
        return TextBytes.skip(bytes, start + 1, most: 2) { more.contains($0) }
    }

    /// `"password"` and its colon may be on two lines of code.
    private func separatorOnNextLine(
        _ bytes: Span<UInt8>, _ token: Range<Int>, _ lineEnd: Int
    ) -> Range<Int>? {
        let next = TextBytes.skip(bytes, lineEnd, most: 64, while: TextBytes.isSpace)
        guard next < bytes.count, bytes[next] == UInt8(ascii: ":") || bytes[next] == 0x3D else {
            return nil
        }
        return value(bytes, of: token, after: separator(bytes, next, "=>:"))
    }

    private func value(_ bytes: Span<UInt8>, of name: Range<Int>, after start: Int) -> Range<Int>? {
        let hint = hint(bytes, ofName: name, after: start)
        switch hint {
        case .nothing: return nil
        case .always, .ifSimple: break
        case .unlessNumber, .ifOpaque:
            // Most such values are something else, which shows early.
            let near = bytes.extracting(first: start + SecretFinder.sightByteCount)
            guard let value = value(near, from: start, ofName: name),
                isSecret(bytes.extracting(value), hint)
            else { return nil }
        }
        if bytes[start - 1] == UInt8(ascii: ":"), beginsField(bytes, name),
            let line = line(bytes, from: start, ofField: name), !line.isEmpty
        {
            return line
        }
        guard let value = value(bytes, from: start, ofName: name, hint),
            isSecret(bytes.extracting(value), hint)
        else { return nil }
        if let assigned = assigned(bytes, after: value, ofName: name) {
            return value.lowerBound..<assigned.upperBound
        }
        return isExpression(bytes, value) ? nil : value
    }

    /// Whether a value is code, and neither quoted nor machine-made.
    private func isExpression(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        guard syntax == .code, !value.isEmpty, !TextBytes.isQuote(bytes[value.lowerBound - 1])
        else { return false }
        // A value on the following lines may include lines that are not its own.
        let end = TextBytes.skip(bytes, value.lowerBound, most: value.count) { $0 > 0x20 }
        return !"([{".utf8.contains(bytes[value.lowerBound])
            && !TextBytes.isOpaque(bytes.extracting(value.lowerBound..<end), atLeast: 6)
    }

    /// How much is read of a value that is probably not a credential.
    private static let sightByteCount = 512

    /// What a name says, with the word before it in `API key: x`, or as an OAuth code in a URL.
    private func hint(
        _ bytes: Span<UInt8>, ofName name: Range<Int>, after start: Int
    ) -> SecretHint {
        let isAssigned = bytes[start - 1] == UInt8(ascii: "=")
        // `/oauth/token:` is a path, and `/v1/token:batch` a method.
        if !isAssigned, name.lowerBound > 0, bytes[name.lowerBound - 1] == UInt8(ascii: "/") {
            return .nothing
        }
        let hint = names.hint(bytes.extracting(name))
        // If only given names are hidden, names of fields are not names of parameters.
        if hint == .nothing, !names.knowsMore, !isAssigned, beginsField(bytes, name) {
            return .always
        }
        guard hint == .nothing, names.knowsMore, name.count <= 5 else { return hint }
        if TextBytes.equals(bytes, name, "code") && isAssigned {
            return isBesideCompanion(bytes, name) ? .always : .nothing
        }
        if TextBytes.equals(bytes, name, "value"), !isAssigned {
            return names.hint(bytes.extracting(nameOnLineBefore(bytes, name)))
        }
        let words: [StaticString] = ["key", "id", "code"]
        guard words.contains(where: { TextBytes.equals(bytes, name, $0) }) else { return .nothing }
        let blank = TextBytes.skipBack(bytes, name.lowerBound, most: 2, while: TextBytes.isBlank)
        let before = TextBytes.skipBack(bytes, blank, most: 32, while: TextBytes.isName)
        guard before < blank, blank < name.lowerBound else { return .nothing }
        return names.hint(bytes.extracting(before..<name.upperBound))
    }

    /// Whether parameters that accompany an OAuth code are in the same URL (RFC 6749 §4.1).
    private func isBesideCompanion(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        let isInURL = { (byte: UInt8) in
            byte > 0x20 && !TextBytes.isQuote(byte) && byte != 0x3C && byte != 0x3E
        }
        let start = TextBytes.skipBack(bytes, name.lowerBound, most: 1_024, while: isInURL)
        let end = TextBytes.skip(bytes, name.upperBound, most: 2_048, while: isInURL)
        let names: [StaticString] = ["state=", "grant_type=", "redirect_uri=", "session_state="]
        return (start..<end).contains { index in
            (index == start || "?&#;".utf8.contains(bytes[index - 1]))
                && names.contains { TextBytes.begins(bytes, index, $0) }
        }
    }

    /// In lists of YAML, the name on the line before `value:`.
    private func nameOnLineBefore(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Range<Int> {
        let lineEnd = TextBytes.skipBack(bytes, name.lowerBound, most: 64, while: TextBytes.isSpace)
        let lineStart = TextBytes.skipBack(bytes, lineEnd, most: 128) { !TextBytes.isLineEnd($0) }
        let key = TextBytes.skip(bytes, lineStart) { TextBytes.isBlank($0) || $0 == 0x2D }
        guard lineEnd < name.lowerBound, key < lineEnd,
            TextBytes.begins(bytes, key, "name:") || TextBytes.begins(bytes, key, "key:")
        else { return 0..<0 }
        let colon = TextBytes.skip(bytes, key) { $0 != UInt8(ascii: ":") }
        let start = TextBytes.skip(bytes, colon + 1) {
            TextBytes.isBlank($0) || TextBytes.isQuote($0)
        }
        return start..<max(start, TextBytes.skip(bytes, start, while: TextBytes.isName))
    }

    /// Whether a name is that of a header field, at the start of a line or of a quoted text.
    private func beginsField(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        guard names.isCredentialField(SecretFinder.text(bytes, name)) else { return false }
        let start = TextBytes.skipBack(bytes, name.lowerBound, most: 64, while: TextBytes.isBlank)
        return start == 0 || TextBytes.isLineEnd(bytes[start - 1])
            || TextBytes.isQuote(bytes[start - 1]) || "{,(<>".utf8.contains(bytes[start - 1])
    }

    /// The value assigned after a type: `const password: string = "x"`.
    private func assigned(
        _ bytes: Span<UInt8>, after type: Range<Int>, ofName name: Range<Int>
    ) -> Range<Int>? {
        let next = TextBytes.skip(bytes, type.upperBound, while: TextBytes.isBlank)
        guard next > type.upperBound, next + 1 < bytes.count,
            bytes[next] == UInt8(ascii: "="), !"=>~".utf8.contains(bytes[next + 1]),
            let value = value(bytes, from: next + 1, ofName: name),
            isSecret(bytes.extracting(value), .always)
        else { return nil }
        return value
    }

    /// Whether a value that follows a name can be a credential.
    func isSecret(_ value: Span<UInt8>, _ hint: SecretHint) -> Bool {
        switch hint {
        case .nothing: false
        case .always: !SecretFinder.isLiteral(value)
        case .ifSimple: !SecretFinder.isLiteral(value) && !SecretFinder.isCount(value)
        case .unlessNumber:
            !SecretFinder.isLiteral(value)
                && value.indices.contains { (value[$0] | 0x20) &- 0x61 < 26 }
        case .ifOpaque: TextBytes.isOpaque(value, atLeast: 12)
        }
    }

    /// Whether a value is a number too short for a credential: `pass: 12, fail: 3`.
    private static func isCount(_ value: Span<UInt8>) -> Bool {
        value.count <= 2 && value.indices.allSatisfy { TextBytes.isDigit(value[$0]) }
    }

    /// Values that are not text, or will be filled in.
    private static func isLiteral(_ value: Span<UInt8>) -> Bool {
        let literals: [StaticString] = [
            "null", "true", "false", "nil", "none", "undefined", "same-origin", "include", "omit",
            "?", "%s",
        ]
        guard value.count <= 64 else { return false }
        if literals.contains(where: { ASCII.equalsIgnoringCase(value, $0) }) { return true }
        if value.indices.allSatisfy({ value[$0] == UInt8(ascii: "*") }) { return true }
        let last = value.count == 0 ? 0 : value[value.count - 1]
        if TextBytes.begins(value, 0, "${") || TextBytes.begins(value, 0, "{{") {
            return last == UInt8(ascii: "}")
        }
        return TextBytes.begins(value, 0, "$")
            && (1..<value.count).allSatisfy {
                value[$0] &- 0x41 < 26 || value[$0] == 0x5F || TextBytes.isDigit(value[$0])
            }
    }

    /// The second of two quoted arguments or elements: `setItem("token", "x")`, `["token", "x"]`.
    private func argument(
        _ bytes: Span<UInt8>, _ name: Range<Int>, after start: Int
    ) -> Range<Int>? {
        let quote = TextBytes.skipBack(bytes, name.lowerBound, most: 8) {
            TextBytes.isQuote($0) || $0 == 0x5C
        }
        let before = TextBytes.skipBack(bytes, quote, most: 64, while: TextBytes.isSpace) - 1
        let open = TextBytes.skip(bytes, start, most: 64, while: TextBytes.isSpace)
        let isOption = TextBytes.begins(bytes, name.lowerBound, "--")
        guard quote < name.lowerBound, before >= 0, open < bytes.count,
            "([".utf8.contains(bytes[before]) || isOption && bytes[before] == UInt8(ascii: ","),
            let value = quotedValue(bytes, from: open),
            isSecret(bytes.extracting(value), names.hint(bytes.extracting(name)))
        else { return nil }
        guard bytes[before] == UInt8(ascii: "["), !isOption else { return value }
        let isWord = value.allSatisfy {
            bytes[$0] &- 0x61 < 26 || bytes[$0] == 0x5F || bytes[$0] == 0x2D
        }
        guard !isWord else { return nil }
        let end = TextBytes.skip(bytes, value.upperBound) {
            TextBytes.isQuote($0) || TextBytes.isSpace($0) || $0 == 0x5C
        }
        return end < bytes.count && bytes[end] == UInt8(ascii: "]") ? value : nil
    }

    /// What follows `Bearer`, `Basic`, or an option of a command such as `--password`.
    private func apart(_ bytes: Span<UInt8>, _ word: Range<Int>, _ next: Int) -> Range<Int>? {
        guard names.knowsMore else { return nil }
        let start = bytes[next] == UInt8(ascii: "+") ? next + 1 : next
        if TextBytes.equals(bytes, word, "bearer") {
            let value = value(bytes, from: start, ofName: word)
            return value.flatMap { isBearer(bytes, $0) ? $0 : nil }
        }
        if TextBytes.equals(bytes, word, "basic") {
            let value = unquotedValue(bytes, from: start)
            return value.flatMap { SecretShape.isBasic(bytes.extracting($0)) ? $0 : nil }
        }
        guard start == next, TextBytes.begins(bytes, word.lowerBound, "--"),
            bytes[next] != UInt8(ascii: "-"),
            names.hint(bytes.extracting(word)).isCertain
        else { return nil }
        return value(bytes, from: next, ofName: word)
    }

    /// Whether what follows `Bearer` is a credential, and neither the next word of a sentence nor a
    /// parameter of a challenge (RFC 9110 §11.3).
    private func isBearer(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        let equals = value.first { bytes[$0] == UInt8(ascii: "=") }
        if let equals, equals + 1 < bytes.count, bytes[equals + 1] != UInt8(ascii: "=") {
            if equals + 1 < value.upperBound { return false }
            if TextBytes.isQuote(bytes[equals + 1]) { return false }
        }
        return value.count >= 20
            || value.contains { !(bytes[$0] &- 0x61 < 26 || ".!,;:?".utf8.contains(bytes[$0])) }
    }

    static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
