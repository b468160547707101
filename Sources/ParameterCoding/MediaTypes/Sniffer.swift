/// Inspects the first bytes of a body.
enum Sniffer {
    /// The maximum number of bytes inspected.
    static let lookByteCountMax = 1_024

    /// The maximum length of a boundary: RFC 2046 §5.1.1 allows 70, some clients use more.
    static let boundaryByteCountMax = 256

    /// The first byte that is not white space; nil if there is none in the inspected range. A byte
    /// order mark counts as white space.
    static func firstVisible(_ bytes: Span<UInt8>) -> UInt8? {
        visibleStart(bytes).map { bytes[$0] }
    }

    private static func visibleStart(_ bytes: Span<UInt8>) -> Int? {
        var index = leading(bytes) >> 40 == 0xEF_BBBF ? 3 : 0
        let end = min(bytes.count, lookByteCountMax)
        while index < end {
            if !Byte.isJSONWhitespace(bytes[index]) { return index }
            index &+= 1
        }
        return nil
    }

    /// Whether a JSON text can start this way. White space throughout the inspected range is
    /// allowed, and so is a text that ends early.
    static func canBeginJSON(_ bytes: Span<UInt8>) -> Bool {
        guard let start = visibleStart(bytes) else { return true }
        switch bytes[start] {
        case 0x7B, 0x5B, 0x22, 0x30...0x39: return true
        case 0x2D: return start &+ 1 >= bytes.count || Byte.isDigit(bytes[start &+ 1])
        case 0x74: return isWord("true", bytes, at: start)
        case 0x66: return isWord("false", bytes, at: start)
        case 0x6E: return isWord("null", bytes, at: start)
        default: return false
        }
    }

    /// Whether a word, or its available start, is at a position and followed by a delimiter.
    private static func isWord(_ word: StaticString, _ bytes: Span<UInt8>, at start: Int) -> Bool {
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for (offset, byte) in expected.enumerated() where start &+ offset < bytes.count {
            guard bytes[start &+ offset] == byte else { return false }
        }
        let end = start &+ expected.count
        return end >= bytes.count || Byte.isJSONWhitespace(bytes[end]) || bytes[end] == 0x2C
            || bytes[end] == 0x5D
    }

    /// Whether a body that is not declared as JSON is a JSON object or array.
    static func looksLikeJSON(_ bytes: Span<UInt8>) -> Bool {
        guard let start = visibleStart(bytes) else { return false }
        var next = start &+ 1
        while next < bytes.count, Byte.isJSONWhitespace(bytes[next]) { next &+= 1 }
        guard next < bytes.count else { return false }
        switch bytes[start] {
        case 0x7B: return bytes[next] == 0x22 || bytes[next] == 0x7D
        case 0x5B: return bytes[next] == 0x5D || canBeginJSON(bytes.extracting(next...))
        default: return false
        }
    }

    /// Detects formats that start with a signature.
    static func magic(_ bytes: Span<UInt8>) -> BodyKind? {
        let head = leading(bytes)
        if head >> 16 == 0x8950_4E47_0D0A { return .image("png") }
        if head >> 40 == 0xFF_D8FF { return .image("jpeg") }
        switch UInt32(truncatingIfNeeded: head >> 32) {
        case 0x4749_4638: return .image("gif")  // GIF8
        case 0x5249_4646: return riff(bytes)  // RIFF
        case 0x504B_0304, 0x28B5_2FFD: return .archive  // zip, zstd
        case 0x0061_736D: return .webAssembly
        case 0x774F_4646, 0x774F_4632: return .font  // wOFF, wOF2
        case 0x4F67_6753: return .audio  // OggS
        default: break
        }
        if head == 0x6270_6C69_7374_3030 { return .propertyListBinary }  // bplist00
        if head >> 24 == 0x25_5044_462D { return .pdf }  // %PDF-
        if head >> 40 == 0x1F_8B08 { return .archive }  // gzip
        if head >> 40 == 0x49_4433 { return .audio }  // ID3
        return head & 0xFFFF_FFFF == 0x6674_7970 ? film(bytes) : nil  // ftyp, behind its length
    }

    /// Audio and the image formats that share its container.
    private static func riff(_ bytes: Span<UInt8>) -> BodyKind {
        leading(bytes, from: 8) >> 32 == 0x5745_4250 ? .image("webp") : .audio  // WEBP
    }

    /// Video and the image formats that share its container, distinguished by the brand.
    private static func film(_ bytes: Span<UInt8>) -> BodyKind {
        switch leading(bytes, from: 8) >> 32 {
        case 0x6176_6966: .image("avif")
        case 0x6865_6963, 0x6865_6978: .image("heic")
        case 0x6D69_6631: .image("heif")
        default: .video
        }
    }

    /// Eight bytes as a big-endian number, padded with zeros at the end of the input.
    private static func leading(_ bytes: Span<UInt8>, from start: Int = 0) -> UInt64 {
        if bytes.count >= start &+ 8 {
            return bytes.withUnsafeBytes {
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
        }
        var number: UInt64 = 0
        for index in start..<start &+ 8 {
            number = number << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
        }
        return number
    }

    /// Detects XML, HTML and XML property lists.
    static func markup(_ bytes: Span<UInt8>) -> BodyKind? {
        guard firstVisible(bytes) == UInt8(ascii: "<") else { return nil }
        if contains("<plist", bytes) { return .propertyListXML }
        if contains("<!doctype html", bytes) || contains("<html", bytes) { return .html }
        return contains("<?xml", bytes) ? .xml : .html
    }

    /// Whether the first visible text is the start of an XML or HTML document.
    static func beginsDocument(_ bytes: Span<UInt8>) -> Bool {
        guard let start = visibleStart(bytes) else { return false }
        let visible = bytes.extracting(start..<min(bytes.count, start &+ 16))
        let heads: [StaticString] = ["<?xml", "<!doctype", "<plist", "<html", "<soap"]
        return heads.contains { begins(visible, $0) }
    }

    private static func begins(_ bytes: Span<UInt8>, _ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        let pattern = UnsafeBufferPointer(start: literal.utf8Start, count: length)
        guard bytes.count >= length else { return false }
        return pattern.indices.allSatisfy { Byte.lowercased(bytes[$0]) == pattern[$0] }
    }

    /// Whether the inspected range contains a lower-case literal, ignoring case.
    static func contains(_ literal: StaticString, _ bytes: Span<UInt8>) -> Bool {
        let length = literal.utf8CodeUnitCount
        let pattern = UnsafeBufferPointer(start: literal.utf8Start, count: length)
        let end = min(bytes.count, lookByteCountMax) &- length
        var start = 0
        while start <= end {
            var matched = 0
            while matched < length,
                Byte.lowercased(bytes[start &+ matched]) == pattern[matched]
            {
                matched &+= 1
            }
            if matched == length { return true }
            start &+= 1
        }
        return false
    }

    /// Whether there are no control characters except white space and ESC.
    static func looksLikeText(_ bytes: Span<UInt8>) -> Bool {
        let sight = bytes.extracting(first: lookByteCountMax)
        return !hasControl(sight) || !hasStrangeControl(sight)
    }

    /// Whether there is any control character. Many single-line texts have none, and this check
    /// costs half as much as `hasStrangeControl`.
    private static func hasControl(_ bytes: Span<UInt8>) -> Bool {
        hasAny(bytes) { bit($0 < 0x20) | bit($0 == 0x7F) }
    }

    private static func hasStrangeControl(_ bytes: Span<UInt8>) -> Bool {
        hasAny(bytes) { bit($0 < 0x20) & bit($0 &- 0x09 > 4) & bit($0 != 0x1B) | bit($0 == 0x7F) }
    }

    /// Whether there is a `name=value` and only bytes that an encoded form can contain.
    static func looksLikeForm(_ bytes: Span<UInt8>) -> Bool {
        let sight = bytes.extracting(first: lookByteCountMax)
        guard hasEquals(sight), sight[0] != 0x3D else { return false }
        for index in sight.indices {
            switch sight[index] {
            case 0x00...0x20, 0x22, 0x3C, 0x3E, 0x7B, 0x7D, 0x7F...0xFF: return false
            default: continue
            }
        }
        return true
    }

    /// Eight bytes at a time, by hand: the compiler does not vectorise this search.
    private static func hasEquals(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var index = 0
            while index &+ 8 <= bytes.count {
                let eight = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // A byte `=` becomes zero, and the subtraction sets its highest bit by borrowing.
                let zeros = eight ^ 0x3D3D_3D3D_3D3D_3D3D
                let lent = (zeros &- 0x0101_0101_0101_0101) & ~zeros & 0x8080_8080_8080_8080
                if lent != 0 { return true }
                index &+= 8
            }
            return bytes[index...].contains(0x3D)
        }
    }

    /// Whether `question` returns 1 for any byte. It does not stop early, so that the compiler can
    /// process sixteen bytes at a time.
    @inline(__always)
    private static func hasAny(_ bytes: Span<UInt8>, _ question: (UInt8) -> UInt8) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var found: UInt8 = 0
            for byte in bytes { found |= question(byte) }
            return found != 0
        }
    }

    private static func bit(_ condition: Bool) -> UInt8 { condition ? 1 : 0 }

    /// The boundary of a multipart form without a Content-Type.
    static func boundary(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard begins(bytes, [0x2D, 0x2D]), contains("\r\ncontent-disposition:", bytes) else {
            return nil
        }
        var boundary: [UInt8] = []
        var index = 2
        while index < bytes.count, bytes[index] > 0x20 {
            boundary.append(bytes[index])
            if boundary.count > boundaryByteCountMax { return nil }
            index &+= 1
        }
        return boundary.isEmpty ? nil : boundary
    }

    static func begins(_ bytes: Span<UInt8>, _ signature: [UInt8], at offset: Int = 0) -> Bool {
        guard bytes.count &- offset >= signature.count else { return false }
        for index in signature.indices where bytes[offset &+ index] != signature[index] {
            return false
        }
        return true
    }
}
