/// The content of a JSON string (RFC 8259 §7).
enum JSONStringText {
    /// Appends a text with the required escapes; control characters use the short form if there is
    /// one.
    static func append(
        _ text: String,
        escapingSlashes: Bool,
        escapingLineSeparators: Bool,
        to bytes: inout [UInt8]
    ) {
        var text = text
        text.withUTF8 { source in
            // Text without escapes is copied in runs.
            var runStart = 0
            var index = 0
            while index < source.count {
                let byte = source[index]
                let isSeparator =
                    escapingLineSeparators && byte == 0xE2 && isLineSeparator(source, at: index)
                let isSlash = escapingSlashes && byte == 0x2F
                guard byte < 0x20 || byte == 0x22 || byte == 0x5C || isSlash || isSeparator
                else {
                    index &+= 1
                    continue
                }
                bytes.append(contentsOf: source[runStart..<index])
                if isSeparator {
                    bytes += source[index &+ 2] == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
                    index &+= 3
                } else {
                    appendEscape(byte, &bytes)
                    index &+= 1
                }
                runStart = index
            }
            bytes.append(contentsOf: source[runStart...])
        }
    }

    private static func isLineSeparator(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool
    {
        index &+ 2 < source.count && source[index &+ 1] == 0x80
            && source[index &+ 2] & 0xFE == 0xA8
    }

    private static func appendEscape(_ byte: UInt8, _ bytes: inout [UInt8]) {
        switch byte {
        case 0x22: bytes += "\\\"".utf8
        case 0x5C: bytes += "\\\\".utf8
        case 0x2F: bytes += "\\/".utf8
        case 0x08: bytes += "\\b".utf8
        case 0x09: bytes += "\\t".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0D: bytes += "\\r".utf8
        default:
            bytes += "\\u00".utf8
            bytes.append(byte < 0x10 ? 0x30 : 0x31)
            bytes.append(Byte.lowercased(Byte.hexDigit(byte & 0x0F)))
        }
    }
}
