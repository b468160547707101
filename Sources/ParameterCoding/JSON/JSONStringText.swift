/// The content of a JSON string (RFC 8259 §7).
enum JSONStringText {
    /// Appends a text with the required escapes; control characters use the short form if there is
    /// one.
    static func append(
        _ text: String,
        escapingSlashes: Bool,
        escapingLineSeparators: Bool,
        to octets: inout [UInt8]
    ) {
        var text = text
        text.withUTF8 { source in
            // Text without escapes is copied in runs.
            var runStart = 0
            var index = 0
            while index < source.count {
                let octet = source[index]
                let isSeparator =
                    escapingLineSeparators && octet == 0xE2 && isLineSeparator(source, at: index)
                let isSlash = escapingSlashes && octet == 0x2F
                guard octet < 0x20 || octet == 0x22 || octet == 0x5C || isSlash || isSeparator
                else {
                    index &+= 1
                    continue
                }
                octets.append(contentsOf: source[runStart..<index])
                if isSeparator {
                    octets += source[index &+ 2] == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
                    index &+= 3
                } else {
                    appendEscape(octet, &octets)
                    index &+= 1
                }
                runStart = index
            }
            octets.append(contentsOf: source[runStart...])
        }
    }

    private static func isLineSeparator(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool
    {
        index &+ 2 < source.count && source[index &+ 1] == 0x80
            && source[index &+ 2] & 0xFE == 0xA8
    }

    private static func appendEscape(_ octet: UInt8, _ octets: inout [UInt8]) {
        switch octet {
        case 0x22: octets += "\\\"".utf8
        case 0x5C: octets += "\\\\".utf8
        case 0x2F: octets += "\\/".utf8
        case 0x08: octets += "\\b".utf8
        case 0x09: octets += "\\t".utf8
        case 0x0A: octets += "\\n".utf8
        case 0x0C: octets += "\\f".utf8
        case 0x0D: octets += "\\r".utf8
        default:
            octets += "\\u00".utf8
            octets.append(octet < 0x10 ? 0x30 : 0x31)
            octets.append(Octet.lowercased(Octet.hexDigit(octet & 0x0F)))
        }
    }
}
