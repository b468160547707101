/// Looks at the first octets of a body.
enum Sniffer {
    /// How far the looks go, in octets.
    private static let lookByteCountMax = 1_024

    /// The first octet that is not white space; nil where there is none in sight. A byte order
    /// mark counts as white space.
    static func firstVisible(_ octets: Span<UInt8>) -> UInt8? {
        visibleStart(octets).map { octets[$0] }
    }

    private static func visibleStart(_ octets: Span<UInt8>) -> Int? {
        var index = begins(octets, [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let end = min(octets.count, lookByteCountMax)
        while index < end {
            if !Octet.isJSONWhitespace(octets[index]) { return index }
            index &+= 1
        }
        return nil
    }

    /// Whether a JSON text can begin so; white space as far as one can see is no objection, and a
    /// text that ends early is none either.
    static func canBeginJSON(_ octets: Span<UInt8>) -> Bool {
        guard let start = visibleStart(octets) else { return true }
        switch octets[start] {
        case 0x7B, 0x5B, 0x22, 0x30...0x39: return true
        case 0x2D: return start &+ 1 >= octets.count || Octet.isDigit(octets[start &+ 1])
        case 0x74: return isWord("true", octets, at: start)
        case 0x66: return isWord("false", octets, at: start)
        case 0x6E: return isWord("null", octets, at: start)
        default: return false
        }
    }

    /// Whether a word, or as much of it as there is, stands alone at a place.
    private static func isWord(
        _ word: StaticString, _ octets: Span<UInt8>, at start: Int
    ) -> Bool {
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for (offset, octet) in expected.enumerated() where start &+ offset < octets.count {
            guard octets[start &+ offset] == octet else { return false }
        }
        let end = start &+ expected.count
        return end >= octets.count || Octet.isJSONWhitespace(octets[end]) || octets[end] == 0x2C
            || octets[end] == 0x5D
    }

    /// Whether a body that nobody called JSON is an object or array all the same.
    static func looksLikeJSON(_ octets: Span<UInt8>) -> Bool {
        guard let start = visibleStart(octets) else { return false }
        var next = start &+ 1
        while next < octets.count, Octet.isJSONWhitespace(octets[next]) { next &+= 1 }
        guard next < octets.count else { return false }
        switch octets[start] {
        case 0x7B: return octets[next] == 0x22 || octets[next] == 0x7D
        case 0x5B: return octets[next] == 0x5D || canBeginJSON(octets.extracting(next...))
        default: return false
        }
    }

    /// Formats that begin with a signature.
    static func magic(_ octets: Span<UInt8>) -> BodyKind? {
        if begins(octets, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]) { return .image("png") }
        if begins(octets, [0xFF, 0xD8, 0xFF]) { return .image("jpeg") }
        if begins(octets, Array("GIF8".utf8)) { return .image("gif") }
        if begins(octets, Array("RIFF".utf8)) {
            return begins(octets, Array("WEBP".utf8), at: 8) ? .image("webp") : .audio
        }
        if begins(octets, Array("%PDF-".utf8)) { return .pdf }
        if begins(octets, Array("bplist00".utf8)) { return .propertyListBinary }
        if begins(octets, [0x50, 0x4B, 0x03, 0x04]) || begins(octets, [0x1F, 0x8B, 0x08])
            || begins(octets, [0x28, 0xB5, 0x2F, 0xFD])
        {
            return .archive
        }
        if begins(octets, [0x00, 0x61, 0x73, 0x6D]) { return .webAssembly }
        if begins(octets, Array("wOFF".utf8)) || begins(octets, Array("wOF2".utf8)) {
            return .font
        }
        if begins(octets, Array("OggS".utf8)) || begins(octets, Array("ID3".utf8)) {
            return .audio
        }
        if begins(octets, Array("ftyp".utf8), at: 4) {
            let pictures = ["avif": "avif", "heic": "heic", "heix": "heic", "mif1": "heif"]
            let picture = pictures.first { begins(octets, Array($0.key.utf8), at: 8) }
            return picture.map { .image($0.value) } ?? .video
        }
        return nil
    }

    /// XML, HTML and XML property lists.
    static func markup(_ octets: Span<UInt8>) -> BodyKind? {
        guard firstVisible(octets) == UInt8(ascii: "<") else { return nil }
        if contains("<plist", octets) { return .propertyListXML }
        if contains("<!doctype html", octets) || contains("<html", octets) { return .html }
        return contains("<?xml", octets) ? .xml : .html
    }

    /// Whether the first thing to be seen is the head of an XML or HTML document.
    static func beginsDocument(_ octets: Span<UInt8>) -> Bool {
        guard let start = visibleStart(octets) else { return false }
        let visible = octets.extracting(start..<min(octets.count, start &+ 16))
        let heads: [StaticString] = ["<?xml", "<!doctype", "<plist", "<html", "<soap"]
        return heads.contains { begins(visible, $0) }
    }

    private static func begins(_ octets: Span<UInt8>, _ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        let pattern = UnsafeBufferPointer(start: literal.utf8Start, count: length)
        guard octets.count >= length else { return false }
        return pattern.indices.allSatisfy { Octet.lowercased(octets[$0]) == pattern[$0] }
    }

    /// Whether a literal in lower case is within sight, in any case.
    static func contains(_ literal: StaticString, _ octets: Span<UInt8>) -> Bool {
        let length = literal.utf8CodeUnitCount
        let pattern = UnsafeBufferPointer(start: literal.utf8Start, count: length)
        let end = min(octets.count, lookByteCountMax) &- length
        var start = 0
        while start <= end {
            var matched = 0
            while matched < length,
                Octet.lowercased(octets[start &+ matched]) == pattern[matched]
            {
                matched &+= 1
            }
            if matched == length { return true }
            start &+= 1
        }
        return false
    }

    /// No control characters but white space and ESC.
    static func looksLikeText(_ octets: Span<UInt8>) -> Bool {
        for index in 0..<min(octets.count, lookByteCountMax) {
            switch octets[index] {
            case 0x09...0x0D, 0x1B, 0x20...0x7E, 0x80...0xFF: continue
            default: return false
            }
        }
        return true
    }

    /// `name=value` of the octets that an encoded form can have, and no others.
    static func looksLikeForm(_ octets: Span<UInt8>) -> Bool {
        var hasEquals = false
        for index in 0..<min(octets.count, lookByteCountMax) {
            switch octets[index] {
            case 0x3D:
                if index == 0 { return false }
                hasEquals = true
            case 0x00...0x20, 0x22, 0x3C, 0x3E, 0x7B, 0x7D, 0x7F...0xFF: return false
            default: continue
            }
        }
        return hasEquals
    }

    /// The boundary of a multipart form that came without Content-Type.
    static func boundary(_ octets: Span<UInt8>) -> [UInt8]? {
        guard begins(octets, [0x2D, 0x2D]), contains("\r\ncontent-disposition:", octets) else {
            return nil
        }
        var boundary: [UInt8] = []
        var index = 2
        while index < octets.count, octets[index] > 0x20 {
            boundary.append(octets[index])
            if boundary.count > MultipartLimits.boundaryByteCountMax { return nil }
            index &+= 1
        }
        return boundary.isEmpty ? nil : boundary
    }

    static func begins(
        _ octets: Span<UInt8>,
        _ signature: [UInt8],
        at offset: Int = 0
    ) -> Bool {
        guard octets.count &- offset >= signature.count else { return false }
        for index in signature.indices where octets[offset &+ index] != signature[index] {
            return false
        }
        return true
    }
}
