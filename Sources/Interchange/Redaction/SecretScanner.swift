internal import ProxydCurlCommand
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Finds credentials in bytes of unknown syntax: `name=value`, `"name": "value"`,
/// `<name>value</name>`, `Bearer value`, and the user of a URL. It does not parse its input, so it
/// hides too much rather than too little.
struct SecretScanner {
    private static let placeholder = Array(Redaction.placeholder.utf8)
    private static let nameByteCountMax = 128

    private let names: SecretNames

    init(_ names: SecretNames) { self.names = names }

    /// The bytes without credentials; nil if there are none.
    func redacted(_ octets: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        var tag: Int?
        while index < octets.count {
            var end = SecretScanner.endOfName(octets, index)
            var value: Range<Int>?
            if end > index {
                value = secret(octets, index..<end)
            } else {
                if names.hidesUnnamed { value = userInformation(octets, index..<index) }
                if octets[index] == UInt8(ascii: "<") { tag = index }
                if octets[index] == UInt8(ascii: ">"), let start = tag {
                    value = content(octets, ofTag: start..<index)
                    tag = nil
                }
                end = index + 1
            }
            if let value, !value.isEmpty, value.lowerBound >= copied {
                output += octets[copied..<value.lowerBound]
                output += SecretScanner.placeholder
                copied = value.upperBound
                index = max(end, value.upperBound)
            } else {
                index = end
            }
        }
        guard copied > 0 else { return nil }
        return output + octets[copied...]
    }

    /// The range of the value that belongs to a name, if the name denotes a secret.
    private func secret(_ octets: [UInt8], _ name: Range<Int>) -> Range<Int>? {
        if names.hidesUnnamed, let user = userInformation(octets, name) { return user }
        guard name.count <= SecretScanner.nameByteCountMax else { return nil }
        var next = SecretScanner.skip(octets, name.upperBound, Array(#"\"'"#.utf8))
        next = SecretScanner.skip(octets, next, [0x20, 0x09])
        guard next < octets.count else { return nil }
        let text = SecretScanner.nameText(octets[name])
        switch octets[next] {
        case UInt8(ascii: "="), UInt8(ascii: ":"):
            if names.isCredentialField(text), octets[next] == UInt8(ascii: ":") {
                return value(octets, from: next + 1, endsAtSpace: false)
            }
            return names.hidesParameter(text) ? value(octets, from: next + 1) : nil
        default:
            guard names.hidesUnnamed, next > name.upperBound, octets[next - 1] <= 0x20,
                text.lowercased() == "bearer"
            else { return nil }
            return value(octets, from: next)
        }
    }

    /// The content of an element, given its start tag without `>`, if the name without its prefix
    /// denotes a secret. The content extends to the next end tag, so that a CDATA section or a
    /// nested element is hidden too.
    private func content(_ octets: [UInt8], ofTag tag: Range<Int>) -> Range<Int>? {
        let start = tag.lowerBound + 1
        let name = SecretScanner.run(octets, from: start) {
            SecretScanner.isNameOctet($0) || $0 == UInt8(ascii: ":")
        }
        guard !name.isEmpty, name.count <= SecretScanner.nameByteCountMax,
            name.upperBound == tag.upperBound || octets[name.upperBound] <= 0x20,
            octets[tag.upperBound - 1] != UInt8(ascii: "/"),
            let local = octets[name].split(separator: UInt8(ascii: ":")).last,
            names.hidesParameter(String(decoding: local, as: UTF8.self))
        else { return nil }
        let begin = tag.upperBound + 1
        var end = begin
        if octets[begin...].starts(with: "<![CDATA[".utf8) {
            let mark = Array("]]>".utf8)
            while end < octets.count, !octets[end...].starts(with: mark) { end += 1 }
        }
        while end < octets.count, !octets[end...].starts(with: "</".utf8) { end += 1 }
        return begin..<end
    }

    /// The `user:password` after the `://` of a URL; `name` is the name that starts there.
    private func userInformation(_ octets: [UInt8], _ name: Range<Int>) -> Range<Int>? {
        let start = name.lowerBound
        guard start >= 3, octets[(start - 3)..<start].elementsEqual("://".utf8) else { return nil }
        let ends = Array("/?#\"'<> \r\n\t\\".utf8)
        let authority = SecretScanner.run(octets, from: start) { !ends.contains($0) }
        guard let at = octets[authority].lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return start..<at
    }

    /// A value, in quotation marks or up to a delimiter.
    private func value(
        _ octets: [UInt8], from position: Int, endsAtSpace: Bool = true
    ) -> Range<Int>? {
        let start = SecretScanner.skip(octets, position, [0x20, 0x09])
        let open = SecretScanner.skip(octets, start, [UInt8(ascii: "\\")])
        guard open < octets.count else { return nil }
        let quote = octets[open]
        if let block = block(octets, from: open) { return block }
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return quoted(octets, from: open + 1, by: quote, isEscaped: open > start)
        }
        if !endsAtSpace {
            return SecretScanner.run(octets, from: start) { $0 != 0x0A && $0 != 0x0D && $0 != 0x22 }
        }
        let ends = Array(" \t\r\n&;,<>\"'()[]{}\\".utf8)
        return SecretScanner.run(octets, from: start) { !ends.contains($0) }
    }

    /// The content of a block string of GraphQL: three marks on either side, escaped or not.
    private func block(_ octets: [UInt8], from start: Int) -> Range<Int>? {
        let isEscaped = start > 0 && octets[start - 1] == UInt8(ascii: "\\")
        let mark = Array(String(repeating: isEscaped ? #"\""# : "\"", count: 3).utf8)
        let first = isEscaped ? start - 1 : start
        guard octets[first...].starts(with: mark) else { return nil }
        let begin = first + mark.count
        var end = begin
        while end < octets.count, !octets[end...].starts(with: mark) { end += 1 }
        return begin..<end
    }

    /// Reads up to the closing mark. A mark after a backslash closes only a value that was opened
    /// by such a mark.
    private func quoted(
        _ octets: [UInt8], from start: Int, by quote: UInt8, isEscaped: Bool
    ) -> Range<Int> {
        var end = start
        while end < octets.count, octets[end] != quote {
            if octets[end] == UInt8(ascii: "\\") {
                if isEscaped, end + 1 < octets.count, octets[end + 1] == quote { break }
                end += 1
            }
            end += 1
        }
        return start..<min(end, octets.count)
    }

    // MARK: Bytes

    private static func endOfName(_ octets: [UInt8], _ start: Int) -> Int {
        var end = start
        while end < octets.count, isNameOctet(octets[end]) { end += 1 }
        return end
    }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "$"),
            UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// A name, percent-decoded. If an escape is not part of the name, only what follows it counts.
    private static func nameText(_ octets: ArraySlice<UInt8>) -> String {
        guard octets.contains(UInt8(ascii: "%")) else {
            return String(decoding: octets, as: UTF8.self)
        }
        let decoded = QueryDecoder().decode(Array(octets)).pairs.first?.name ?? ""
        let end = decoded.utf8.reversed().prefix { isNameOctet($0) && $0 != UInt8(ascii: "%") }
        return String(decoding: end.reversed(), as: UTF8.self)
    }

    private static func skip(_ octets: [UInt8], _ start: Int, _ skipped: [UInt8]) -> Int {
        var index = start
        while index < octets.count, skipped.contains(octets[index]) { index += 1 }
        return index
    }

    private static func run(
        _ octets: [UInt8], from start: Int, while belongs: (UInt8) -> Bool
    ) -> Range<Int> {
        var end = start
        while end < octets.count, belongs(octets[end]) { end += 1 }
        return start..<end
    }
}
