/// The Content-Transfer-Encoding of a part: deprecated by RFC 7578 §4.7, but still sent by old
/// clients.
public enum PartTransferEncoding: Sendable, Hashable {
    /// The content is not encoded.
    case none
    /// Base64 (RFC 4648 §4), with or without line breaks.
    case base64
    /// Quoted-printable (RFC 2045 §6.7).
    case quotedPrintable

    init(_ fieldValue: [UInt8]?) {
        switch fieldValue.map({ String(decoding: $0, as: UTF8.self).lowercased() }) {
        case "base64": self = .base64
        case "quoted-printable": self = .quotedPrintable
        default: self = .none
        }
    }

    /// Whether a part of a body may have a transfer encoding; almost none has.
    static func mayBeUsed(in body: Span<UInt8>) -> Bool {
        body.contains(ignoringCase: "content-transfer-encoding")
    }

    /// The decoded content. Bytes that are invalid in the encoding are skipped.
    public func decoded(_ content: [UInt8]) -> [UInt8] {
        switch self {
        case .none: content
        case .base64: Base64.lenientBytes(content)
        case .quotedPrintable: PartTransferEncoding.decodedQuotedPrintable(content)
        }
    }

    private static func decodedQuotedPrintable(_ content: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < content.count {
            let byte = content[index]
            guard byte == 0x3D, index &+ 2 < content.count else {
                decoded.append(byte)
                index &+= 1
                continue
            }
            let next = (content[index &+ 1], content[index &+ 2])
            if next == (0x0D, 0x0A) {
                index &+= 3
            } else if let high = Byte.hexValue(next.0), let low = Byte.hexValue(next.1) {
                decoded.append(high << 4 | low)
                index &+= 3
            } else {
                decoded.append(byte)
                index &+= 1
            }
        }
        return decoded
    }
}
