package import ProxydParameterCoding

/// Formats one pair of a query or form as a line.
package enum PairLine {
    /// `name = value`, decoded, followed by the raw bytes if they differ.
    package static func line(_ bytes: [UInt8], _ decoder: QueryDecoder) -> StyledText {
        var rendered = StyledText()
        guard let pair = decoder.decode(bytes).pairs.first else { return rendered }
        rendered.append(pair.name, .key)
        if let value = pair.value {
            rendered.append(" = ", .punctuation)
            rendered.append(value, .string)
        }
        let decoded = pair.value.map { "\(pair.name)=\($0)" } ?? pair.name
        if !bytes.elementsEqual(decoded.utf8) {
            rendered.append("   ", .plain)
            rendered.append(bytes[...], .dim)
        }
        rendered.indent = 4
        return rendered
    }
}
