/// Credentials in XML and HTML, where a name and its value may be apart.
extension SecretFinder {
    private static let nameByteCountMax = 128
    private static let gapByteCountMax = 256
    /// Attributes that name what other attributes of their element contain.
    private static let nameAttributes: [StaticString] = [
        "name", "id", "key", "property", "field", "itemprop", "autocomplete", "param",
    ]
    private static let valueAttributes: [StaticString] = [
        "value", "content", "data", "default", "val", "string",
    ]
    /// Elements that name what the next element contains.
    private static let nameElements: [StaticString] = [
        "key", "name", "id", "field", "property", "param", "attribute", "td", "dt",
    ]

    /// The content of an element, given its start tag without `>`: of one whose name without its
    /// prefix marks a credential, or that follows an element with such a name as its content. It
    /// extends to the next end tag, so that a CDATA section or a nested element is hidden too.
    func content(
        _ bytes: Span<UInt8>, ofTag tag: Range<Int>, _ attributes: Attributes
    ) -> Range<Int>? {
        guard let name = localName(bytes, ofTag: tag),
            bytes[tag.upperBound - 1] != UInt8(ascii: "/")
        else { return nil }
        var hint = names.hint(bytes.extracting(name))
        if hint == .nothing { hint = named(by: attributes, of: tag) }
        if hint != .nothing { return content(bytes, from: tag.upperBound + 1, hint) }
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

    /// The content of an element that is marked as a credential. What is probably not one is read
    /// only as far as necessary to see that.
    private func content(_ bytes: Span<UInt8>, from start: Int, _ hint: SecretHint) -> Range<Int>? {
        if !hint.isCertain {
            let near = trimmed(bytes, content(bytes.extracting(first: start + 512), from: start))
            guard isSecret(bytes.extracting(near), hint) else { return nil }
        }
        let content = trimmed(bytes, content(bytes, from: start))
        return isSecret(bytes.extracting(content), hint) ? content : nil
    }

    private func content(_ bytes: Span<UInt8>, from start: Int) -> Range<Int> {
        var end = start
        if TextBytes.begins(bytes, start, "<![CDATA[") {
            while end < bytes.count, !TextBytes.begins(bytes, end, "]]>") { end += 1 }
        }
        while end < bytes.count, !TextBytes.begins(bytes, end, "</") { end += 1 }
        return min(start, end)..<end
    }

    /// The content of the element after this one, if this one contains a credential's name.
    private func contentOfNext(_ bytes: Span<UInt8>, after start: Int) -> Range<Int>? {
        let end = TextBytes.skip(bytes, start, most: SecretFinder.nameByteCountMax) {
            $0 != UInt8(ascii: "<")
        }
        let name = trimmed(bytes, start..<end)
        guard TextBytes.begins(bytes, end, "</"), !name.isEmpty else { return nil }
        let hint = names.hint(bytes.extracting(name))
        guard hint != .nothing else { return nil }
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
        return content(bytes, from: open + 1, hint)
    }

    /// What the attributes of a tag say, if one of them contains a name.
    struct Attributes {
        /// The values that may belong to the name.
        fileprivate var values: [Range<Int>] = []
        fileprivate var hint = SecretHint.nothing
        /// Whether the name is only an `id`, or the element is an input.
        fileprivate var isIdentified = false
    }

    /// Attribute values that belong to a name in another: `<input name="password" value="…">`.
    func secrets(in attributes: Attributes, _ bytes: Span<UInt8>) -> [Range<Int>] {
        attributes.values.filter {
            !$0.isEmpty && isSecret(bytes.extracting($0), attributes.hint)
                && !TextBytes.equals(bytes, $0, "redacted")
        }
    }

    /// What an attribute with a name says about the content of its element: `<string
    /// name="api_key">`.
    private func named(by attributes: Attributes, of tag: Range<Int>) -> SecretHint {
        // Elements for people have identifiers that may sound like anything.
        guard tag.count <= SecretFinder.gapByteCountMax, !attributes.isIdentified else {
            return .nothing
        }
        return attributes.hint
    }

    func attributes(_ bytes: Span<UInt8>, ofTag tag: Range<Int>) -> Attributes {
        var found = Attributes()
        guard names.knowsMore else { return found }
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
                found.values.append(value)
            } else if isNamed(bytes, name, SecretFinder.nameAttributes) {
                let nameHint = names.hint(bytes.extracting(value))
                guard nameHint != .nothing else { continue }
                found.hint = nameHint
                found.isIdentified =
                    !TextBytes.equals(bytes, name, "name") && !TextBytes.equals(bytes, name, "key")
            } else if TextBytes.equals(bytes, name, "type"),
                TextBytes.equals(bytes, value, "password")
            {
                found.hint = .always
                found.isIdentified = true
            }
        }
        return found
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
