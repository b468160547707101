/// The inside of a JSON string (RFC 8259 §7).
enum JSONStringText {
    /// Appends a text with what has to be escaped escaped: controls in the short form where
    /// there is one.
    static func append(
        _ text: String,
        escapingSlashes: Bool,
        escapingLineSeparators: Bool,
        to octets: inout [UInt8]
    ) {
        var text = text
        text.withUTF8 { source in
            var index = 0
            while index < source.count {
                let octet = source[index]
                if escapingLineSeparators, octet == 0xE2, isLineSeparator(source, at: index) {
                    octets += source[index &+ 2] == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
                    index &+= 3
                    continue
                }
                append(octet, escapingSlashes, &octets)
                index &+= 1
            }
        }
    }

    private static func isLineSeparator(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool
    {
        index &+ 2 < source.count && source[index &+ 1] == 0x80
            && source[index &+ 2] & 0xFE == 0xA8
    }

    private static func append(_ octet: UInt8, _ escapingSlashes: Bool, _ octets: inout [UInt8]) {
        switch octet {
        case 0x22: octets += "\\\"".utf8
        case 0x5C: octets += "\\\\".utf8
        case 0x2F where escapingSlashes: octets += "\\/".utf8
        case 0x08: octets += "\\b".utf8
        case 0x09: octets += "\\t".utf8
        case 0x0A: octets += "\\n".utf8
        case 0x0C: octets += "\\f".utf8
        case 0x0D: octets += "\\r".utf8
        case 0x00..<0x20:
            octets += "\\u00".utf8
            octets.append(octet < 0x10 ? 0x30 : 0x31)
            octets.append(hexDigit(octet & 0x0F))
        default: octets.append(octet)
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 &+ value : 0x57 &+ value
    }
}
