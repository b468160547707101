/// Content-Transfer-Encoding of a part: RFC 7578 §4.7 deprecates it, old clients still send it.
public enum PartTransferEncoding: Sendable, Hashable {
    /// The content is as it is.
    case none
    case base64
    case quotedPrintable

    init(_ fieldValue: [UInt8]?) {
        switch fieldValue.map({ String(decoding: $0, as: UTF8.self).lowercased() }) {
        case "base64": self = .base64
        case "quoted-printable": self = .quotedPrintable
        default: self = .none
        }
    }

    /// The content without this encoding. Octets that cannot belong to it are passed over.
    public func decoded(_ content: [UInt8]) -> [UInt8] {
        switch self {
        case .none: content
        case .base64: PartTransferEncoding.decodedBase64(content)
        case .quotedPrintable: PartTransferEncoding.decodedQuotedPrintable(content)
        }
    }

    private static func decodedBase64(_ content: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for octet in content {
            let value: UInt8
            switch octet {
            case 0x41...0x5A: value = octet &- 0x41
            case 0x61...0x7A: value = octet &- 0x47
            case 0x30...0x39: value = octet &+ 4
            case 0x2B: value = 62
            case 0x2F: value = 63
            case 0x3D: return decoded
            default: continue
            }
            bits = bits << 6 | UInt32(value)
            bitCount &+= 6
            if bitCount >= 8 {
                bitCount &-= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return decoded
    }

    private static func decodedQuotedPrintable(_ content: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < content.count {
            let octet = content[index]
            guard octet == 0x3D, index &+ 2 < content.count else {
                decoded.append(octet)
                index &+= 1
                continue
            }
            let next = (content[index &+ 1], content[index &+ 2])
            if next == (0x0D, 0x0A) {
                index &+= 3
            } else if let high = Octet.hexValue(next.0), let low = Octet.hexValue(next.1) {
                decoded.append(high << 4 | low)
                index &+= 3
            } else {
                decoded.append(octet)
                index &+= 1
            }
        }
        return decoded
    }
}
