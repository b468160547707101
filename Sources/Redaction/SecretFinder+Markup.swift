internal import ProxydHTTPModel

/// Credentials in XML and HTML, of which names and values may be apart.
extension SecretFinder {
    private static let nameByteCountMax = 128
    private static let gapByteCountMax = 256
    /// Attributes that contain the name of what others of their element contain.
    private static let nameAttributes: [StaticString] = [
        "name", "id", "key", "property", "field", "itemprop", "autocomplete", "param",
    ]
    private static let valueAttributes: [StaticString] = [
        "value", "content", "data", "default", "val", "string",
    ]
    /// Elements that contain the name of what the next element contains.
    private static let nameElements: [StaticString] = [
        "key", "name", "id", "field", "property", "param", "attribute", "td", "dt",
    ]

    /// The content of an element, given its start tag without `>`: of one whose name, without its
    /// prefix, tells, or of the one that follows an element that contains such a name. It extends
    /// to the next end tag, so that a CDATA section or a nested element is hidden too.
    func content(_ bytes: Span<UInt8>, ofTag tag: Range<Int>) -> Range<Int>? {
        guard let name = localName(bytes, ofTag: tag),
            bytes[tag.upperBound - 1] != UInt8(ascii: "/")
        else { return nil }
        let telling = names.telling(bytes.extracting(name))
        if telling != .nothing {
            let content = trimmed(bytes, content(bytes, from: tag.upperBound + 1))
            return isSecret(bytes.extracting(content), telling) ? content : nil
        }
        let isNamed = SecretFinder.nameElements.contains { TextBytes.equals(bytes, name, $0) }
        guard names.knowsMore, isNamed else { return nil }
        return contentOfNext(bytes, after: tag.upperBound + 1)
    }

    /// The name of a start tag without its prefix.
    private func localName(_ bytes: Span<UInt8>, ofTag tag: Range<Int>) -> Range<Int>? {
        let start = tag.lowerBound + 1
        let end = TextBytes.skip(bytes, start, most: SecretFinder.nameByteCountMax) {
            TextBytes.isName($0) || $0 == UInt8(ascii: ":")
        }
        guard end > start, end == tag.upperBound || bytes[end] <= 0x20 || bytes[end] == 0x2F
        else { return nil }
        let colon = (start..<end).last { bytes[$0] == UInt8(ascii: ":") }
        return (colon.map { $0 + 1 } ?? start)..<end
    }

    private func content(_ bytes: Span<UInt8>, from start: Int) -> Range<Int> {
        var end = start
        if TextBytes.begins(bytes, start, "<![CDATA[") {
            while end < bytes.count, !TextBytes.begins(bytes, end, "]]>") { end += 1 }
        }
        while end < bytes.count, !TextBytes.begins(bytes, end, "</") { end += 1 }
        return min(start, end)..<end
    }

    /// The content of the element behind the one that starts here, if that one contains a name that
    /// tells.
    private func contentOfNext(_ bytes: Span<UInt8>, after start: Int) -> Range<Int>? {
        let end = TextBytes.skip(bytes, start, most: SecretFinder.nameByteCountMax) {
            $0 != UInt8(ascii: "<")
        }
        let name = trimmed(bytes, start..<end)
        guard TextBytes.begins(bytes, end, "</"), !name.isEmpty else { return nil }
        let telling = names.telling(bytes.extracting(name))
        guard telling != .nothing else { return nil }
        let close = TextBytes.skip(bytes, end, most: SecretFinder.gapByteCountMax) {
            $0 != UInt8(ascii: ">")
        }
        let next = TextBytes.skip(
            bytes, close + 1, most: SecretFinder.gapByteCountMax, while: TextBytes.isSpace)
        guard next + 1 < bytes.count, bytes[next] == UInt8(ascii: "<"),
            bytes[next + 1] != UInt8(ascii: "/")
        else { return nil }
        let open = TextBytes.skip(bytes, next, most: SecretFinder.gapByteCountMax) {
            $0 != UInt8(ascii: ">")
        }
        guard open < bytes.count, bytes[open - 1] != UInt8(ascii: "/") else { return nil }
        let content = trimmed(bytes, content(bytes, from: open + 1))
        return isSecret(bytes.extracting(content), telling) ? content : nil
    }

    /// The values of a tag's attributes that belong to a name in another one:
    /// `<input name="password" value="…">`.
    func attributes(_ bytes: Span<UInt8>, ofTag tag: Range<Int>) -> [Range<Int>] {
        guard names.knowsMore else { return [] }
        var found: [Range<Int>] = []
        var telling = Telling.nothing
        var index = tag.lowerBound + 1
        while index < tag.upperBound {
            let start = TextBytes.skip(bytes, index) { !TextBytes.isName($0) && $0 != 0x3E }
            let name = start..<TextBytes.skip(bytes, start, while: TextBytes.isName)
            var next = TextBytes.skip(bytes, name.upperBound, while: TextBytes.isSpace)
            index = max(name.upperBound, start + 1)
            guard next < tag.upperBound, bytes[next] == UInt8(ascii: "=") else { continue }
            next = TextBytes.skip(bytes, next + 1, while: TextBytes.isSpace)
            guard next < tag.upperBound,
                let value = quotedValue(bytes, from: next) ?? unquotedValue(bytes, from: next)
            else { continue }
            index = max(index, value.upperBound + 1)
            if isNamed(bytes, name, SecretFinder.valueAttributes) {
                found.append(value)
            } else if isNamed(bytes, name, SecretFinder.nameAttributes) {
                let tells = names.telling(bytes.extracting(value))
                if tells != .nothing { telling = tells }
            } else if TextBytes.equals(bytes, name, "type"),
                TextBytes.equals(bytes, value, "password")
            {
                telling = .always
            }
        }
        return found.filter {
            isSecret(bytes.extracting($0), telling) && !TextBytes.equals(bytes, $0, "redacted")
                && !$0.isEmpty
        }
    }

    private func isNamed(
        _ bytes: Span<UInt8>, _ name: Range<Int>, _ names: [StaticString]
    ) -> Bool {
        names.contains { TextBytes.equals(bytes, name, $0) }
    }

    private func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        let start = min(
            TextBytes.skip(bytes, range.lowerBound, while: TextBytes.isSpace), range.upperBound)
        var end = range.upperBound
        while end > start, TextBytes.isSpace(bytes[end - 1]) || bytes[end - 1] == 0x3A { end -= 1 }
        return start..<end
    }
}
