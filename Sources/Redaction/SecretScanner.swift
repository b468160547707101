internal import ProxydCurlCommand
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Finds credentials in bytes of unknown syntax: `name=value`, `"name": "value"`,
/// `<name>value</name>`, `Bearer value`, and the user of a URL. It does not parse its input, so it
/// hides too much rather than too little.
package struct SecretScanner {
    private static let placeholder = Array(Redaction.placeholder.utf8)
    private static let nameByteCountMax = 128

    private let names: SecretNames

    package init(_ names: SecretNames) { self.names = names }

    /// The bytes without credentials; nil if there are none.
    package func redacted(_ bytes: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        var tag: Int?
        while index < bytes.count {
            var end = SecretScanner.endOfName(bytes, index)
            var value: Range<Int>?
            if end > index {
                value = secret(bytes, index..<end)
            } else {
                if names.hidesUnnamed { value = userInformation(bytes, index..<index) }
                if bytes[index] == UInt8(ascii: "<") { tag = index }
                if bytes[index] == UInt8(ascii: ">"), let start = tag {
                    value = content(bytes, ofTag: start..<index)
                    tag = nil
                }
                end = index + 1
            }
            if let value, !value.isEmpty, value.lowerBound >= copied {
                output += bytes[copied..<value.lowerBound]
                output += SecretScanner.placeholder
                copied = value.upperBound
                index = max(end, value.upperBound)
            } else {
                index = end
            }
        }
        guard copied > 0 else { return nil }
        return output + bytes[copied...]
    }

    /// The range of the value that belongs to a name, if the name denotes a secret.
    private func secret(_ bytes: [UInt8], _ name: Range<Int>) -> Range<Int>? {
        if names.hidesUnnamed, let user = userInformation(bytes, name) { return user }
        guard name.count <= SecretScanner.nameByteCountMax else { return nil }
        var next = SecretScanner.skip(bytes, name.upperBound, Array(#"\"'"#.utf8))
        next = SecretScanner.skip(bytes, next, [0x20, 0x09])
        guard next < bytes.count else { return nil }
        let text = SecretScanner.nameText(bytes[name])
        switch bytes[next] {
        case UInt8(ascii: "="), UInt8(ascii: ":"):
            if names.isCredentialField(text), bytes[next] == UInt8(ascii: ":") {
                return value(bytes, from: next + 1, endsAtSpace: false)
            }
            return names.hidesParameter(text) ? value(bytes, from: next + 1) : nil
        default:
            guard names.hidesUnnamed, next > name.upperBound, bytes[next - 1] <= 0x20,
                text.lowercased() == "bearer"
            else { return nil }
            return value(bytes, from: next)
        }
    }

    /// The content of an element, given its start tag without `>`, if the name without its prefix
    /// denotes a secret. The content extends to the next end tag, so that a CDATA section or a
    /// nested element is hidden too.
    private func content(_ bytes: [UInt8], ofTag tag: Range<Int>) -> Range<Int>? {
        let start = tag.lowerBound + 1
        let name = SecretScanner.run(bytes, from: start) {
            SecretScanner.isNameByte($0) || $0 == UInt8(ascii: ":")
        }
        guard !name.isEmpty, name.count <= SecretScanner.nameByteCountMax,
            name.upperBound == tag.upperBound || bytes[name.upperBound] <= 0x20,
            bytes[tag.upperBound - 1] != UInt8(ascii: "/"),
            let local = bytes[name].split(separator: UInt8(ascii: ":")).last,
            names.hidesParameter(String(decoding: local, as: UTF8.self))
        else { return nil }
        let begin = tag.upperBound + 1
        var end = begin
        if bytes[begin...].starts(with: "<![CDATA[".utf8) {
            let mark = Array("]]>".utf8)
            while end < bytes.count, !bytes[end...].starts(with: mark) { end += 1 }
        }
        while end < bytes.count, !bytes[end...].starts(with: "</".utf8) { end += 1 }
        return begin..<end
    }

    /// The `user:password` after the `://` of a URL; `name` is the name that starts there.
    private func userInformation(_ bytes: [UInt8], _ name: Range<Int>) -> Range<Int>? {
        let start = name.lowerBound
        guard start >= 3, bytes[(start - 3)..<start].elementsEqual("://".utf8) else { return nil }
        let ends = Array("/?#\"'<> \r\n\t\\".utf8)
        let authority = SecretScanner.run(bytes, from: start) { !ends.contains($0) }
        guard let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return start..<at
    }

    /// A value, in quotation marks or up to a delimiter.
    private func value(
        _ bytes: [UInt8], from position: Int, endsAtSpace: Bool = true
    ) -> Range<Int>? {
        let start = SecretScanner.skip(bytes, position, [0x20, 0x09])
        let open = SecretScanner.skip(bytes, start, [UInt8(ascii: "\\")])
        guard open < bytes.count else { return nil }
        let quote = bytes[open]
        if let block = block(bytes, from: open) { return block }
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return quoted(bytes, from: open + 1, by: quote, isEscaped: open > start)
        }
        if !endsAtSpace {
            return SecretScanner.run(bytes, from: start) { $0 != 0x0A && $0 != 0x0D && $0 != 0x22 }
        }
        let ends = Array(" \t\r\n&;,<>\"'()[]{}\\".utf8)
        return SecretScanner.run(bytes, from: start) { !ends.contains($0) }
    }

    /// The content of a block string of GraphQL: three marks on either side, escaped or not.
    private func block(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
        let isEscaped = start > 0 && bytes[start - 1] == UInt8(ascii: "\\")
        let mark = Array(String(repeating: isEscaped ? #"\""# : "\"", count: 3).utf8)
        let first = isEscaped ? start - 1 : start
        guard bytes[first...].starts(with: mark) else { return nil }
        let begin = first + mark.count
        var end = begin
        while end < bytes.count, !bytes[end...].starts(with: mark) { end += 1 }
        return begin..<end
    }

    /// Reads up to the closing mark. A mark after a backslash closes only a value that was opened
    /// by such a mark.
    private func quoted(
        _ bytes: [UInt8], from start: Int, by quote: UInt8, isEscaped: Bool
    ) -> Range<Int> {
        var end = start
        while end < bytes.count, bytes[end] != quote {
            if bytes[end] == UInt8(ascii: "\\") {
                if isEscaped, end + 1 < bytes.count, bytes[end + 1] == quote { break }
                end += 1
            }
            end += 1
        }
        return start..<min(end, bytes.count)
    }

    // MARK: Bytes

    private static func endOfName(_ bytes: [UInt8], _ start: Int) -> Int {
        var end = start
        while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
        return end
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "$"),
            UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// A name, percent-decoded. If an escape is not part of the name, only what follows it counts.
    private static func nameText(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "%")) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        let decoded = QueryDecoder().decode(Array(bytes)).pairs.first?.name ?? ""
        let end = decoded.utf8.reversed().prefix { isNameByte($0) && $0 != UInt8(ascii: "%") }
        return String(decoding: end.reversed(), as: UTF8.self)
    }

    private static func skip(_ bytes: [UInt8], _ start: Int, _ skipped: [UInt8]) -> Int {
        var index = start
        while index < bytes.count, skipped.contains(bytes[index]) { index += 1 }
        return index
    }

    private static func run(
        _ bytes: [UInt8], from start: Int, while belongs: (UInt8) -> Bool
    ) -> Range<Int> {
        var end = start
        while end < bytes.count, belongs(bytes[end]) { end += 1 }
        return start..<end
    }
}
