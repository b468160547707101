internal import ProxydHTTPModel

/// Finds credentials in bytes of unknown syntax: values of names that tell, credentials in URLs,
/// and those with a shape of their own. It does not parse its input, so it hides too much rather
/// than too little.
///
/// The bytes are searched as they are, and once more at each level of escapes; see `DecodedText`.
struct SecretScanner: Sendable {
    /// A text that still has escapes below as many levels is hidden as a whole.
    private static let levelCountMax = 8
    private static let placeholder = Array(Redaction.placeholder.utf8)

    private let names: SecretNames

    init(_ names: SecretNames) { self.names = names }

    /// The bytes without credentials; nil if there are none.
    /// - Parameter isMarkup: Whether `<` starts a tag, and is not part of a value.
    func redacted(_ bytes: [UInt8], isMarkup: Bool = false) -> [UInt8]? {
        let found = secrets(in: bytes.span, isMarkup: isMarkup)
        return found.isEmpty ? nil : SecretScanner.replacing(found, in: bytes)
    }

    /// Whether there are credentials.
    func holdsSecrets(_ bytes: Span<UInt8>) -> Bool { !secrets(in: bytes).isEmpty }

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
    func secrets(in bytes: Span<UInt8>, isMarkup: Bool = false) -> [Range<Int>] {
        let finder = SecretFinder(names, isMarkup: isMarkup)
        var found = finder.secrets(in: bytes)
        guard var level = DecodedText(bytes) else { return SecretScanner.merged(found) }
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
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}

/// Finds credentials at one level of a text.
struct SecretFinder {
    let names: SecretNames
    let isMarkup: Bool

    init(_ names: SecretNames, isMarkup: Bool) {
        self.names = names
        self.isMarkup = isMarkup
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
                found += attributes(bytes, ofTag: start..<index)
                value = content(bytes, ofTag: start..<index)
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

    /// The end of a value, or the start of a name at its end: where a quotation mark or a bracket
    /// is missing, a value may extend to a name with a value of its own, or into that value.
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
        guard next < bytes.count else { return nil }
        switch bytes[next] {
        case UInt8(ascii: "="):
            return value(bytes, of: token, after: separator(bytes, next, "=>~"))
        case UInt8(ascii: ":"):
            return value(bytes, of: token, after: separator(bytes, next, "=:"))
        case UInt8(ascii: ","):
            return isQuoted ? argument(bytes, token, after: next + 1) : nil
        case 0x0A, 0x0D:
            return separatorOnNextLine(bytes, token, next)
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

    /// The value of a name that tells.
    private func value(
        _ bytes: Span<UInt8>, of name: Range<Int>, after start: Int
    ) -> Range<Int>? {
        let telling = names.telling(bytes.extracting(name))
        if telling == .always || !names.knowsMore, bytes[start - 1] == UInt8(ascii: ":"),
            names.isCredentialField(SecretFinder.text(bytes, name)),
            let line = line(bytes, from: start, ofField: name), !line.isEmpty
        {
            return line
        }
        guard telling != .nothing, let value = value(bytes, from: start, ofName: name) else {
            return nil
        }
        return isSecret(bytes.extracting(value), telling) ? value : nil
    }

    /// Whether a value that follows a name can be a credential.
    func isSecret(_ value: Span<UInt8>, _ telling: Telling) -> Bool {
        switch telling {
        case .nothing: false
        case .always: !SecretFinder.isLiteral(value)
        case .unlessNumber:
            !SecretFinder.isLiteral(value)
                && value.indices.contains { (value[$0] | 0x20) &- 0x61 < 26 }
        case .ifOpaque: TextBytes.isOpaque(value, atLeast: 12)
        }
    }

    /// Values that are no text.
    private static func isLiteral(_ value: Span<UInt8>) -> Bool {
        let literals: [StaticString] = ["null", "true", "false", "nil", "none", "undefined"]
        return value.count <= 9 && literals.contains { ASCII.equalsIgnoringCase(value, $0) }
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
        guard quote < name.lowerBound, before >= 0, open < bytes.count,
            bytes[before] == UInt8(ascii: "(") || bytes[before] == UInt8(ascii: "["),
            let value = quotedValue(bytes, from: open),
            isSecret(bytes.extracting(value), names.telling(bytes.extracting(name)))
        else { return nil }
        guard bytes[before] == UInt8(ascii: "[") else { return value }
        let end = TextBytes.skip(bytes, value.upperBound) {
            TextBytes.isQuote($0) || TextBytes.isSpace($0) || $0 == 0x5C
        }
        return end < bytes.count && bytes[end] == UInt8(ascii: "]") ? value : nil
    }

    /// What follows `Bearer`, `Basic`, or an option of a command such as `--password`.
    private func apart(
        _ bytes: Span<UInt8>, _ word: Range<Int>, _ next: Int
    ) -> Range<Int>? {
        guard names.knowsMore else { return nil }
        let start = bytes[next] == UInt8(ascii: "+") ? next + 1 : next
        if TextBytes.equals(bytes, word, "bearer") {
            return value(bytes, from: start, ofName: word)
        }
        if TextBytes.equals(bytes, word, "basic") {
            let value = unquotedValue(bytes, from: start)
            return value.flatMap { SecretShape.isBasic(bytes.extracting($0)) ? $0 : nil }
        }
        guard start == next, TextBytes.begins(bytes, word.lowerBound, "--"),
            bytes[next] != UInt8(ascii: "-"),
            names.telling(bytes.extracting(word)) == .always
        else { return nil }
        return value(bytes, from: next, ofName: word)
    }

    static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
