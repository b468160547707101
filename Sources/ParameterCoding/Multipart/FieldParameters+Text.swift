extension FieldParameters {
    /// The text of the first parameter with a name, as in the Content-Disposition of a form's part;
    /// `name*` (RFC 8187) takes precedence.
    func text(_ name: String, _ text: ByteText) -> String? {
        if let extended = self[name + "*"], let decoded = FieldParameters.extended(extended) {
            return decoded
        }
        return self[name].map { text.text(FieldParameters.unescaped($0).span) }
    }

    /// `charset'language'percent-encoded` (RFC 8187 §3.2.1).
    private static func extended(_ value: [UInt8]) -> String? {
        guard let first = value.firstIndex(of: 0x27),
            let second = value[(first + 1)...].firstIndex(of: 0x27)
        else { return nil }
        let charset = String(decoding: value[..<first], as: UTF8.self)
        let rules = ByteText(declaredCharset: charset)
        var percent = PercentDecoder(text: rules, plusIsSpace: false)
        return percent.decodedText(value.span, (second + 1)..<value.count)
    }

    /// Reverses the escaping of names by WHATWG HTML's "multipart/form-data encoding algorithm".
    private static func unescaped(_ value: [UInt8]) -> [UInt8] {
        guard value.contains(0x25) else { return value }
        var result: [UInt8] = []
        var rest = value[...]
        while let byte = rest.popFirst() {
            let original: UInt8? =
                switch (byte, rest.first, rest.dropFirst().first) {
                case (0x25, 0x32, 0x32): 0x22
                case (0x25, 0x30, 0x44): 0x0D
                case (0x25, 0x30, 0x41): 0x0A
                default: nil
                }
            result.append(original ?? byte)
            if original != nil { rest = rest.dropFirst(2) }
        }
        return result
    }
}
