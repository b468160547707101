extension Coding {
    /// Whether streams have no signature: only a decoder can tell them from other bytes, and it
    /// makes rubbish of some texts before it fails.
    var isUnsigned: Bool { self == .deflate || self == .brotli }

    /// Whether bytes from which nothing could be decoded are the start of this coding all the same:
    /// damaged, or too few.
    func isBegun(by bytes: [UInt8], isFailed: Bool) -> Bool {
        switch self {
        case .gzip: Coding.isStart(bytes, of: [0x1F, 0x8B])
        case .zstd:
            Coding.isStart(bytes, of: [0x28, 0xB5, 0x2F, 0xFD])
                || bytes[0] & 0xF0 == 0x50 && Coding.isStart(bytes[1...], of: [0x2A, 0x4D, 0x18])
        case .deflate: !isFailed || bytes.count > 1 && Coding.isZlibHead(bytes)
        case .brotli: !isFailed
        // Only digits can be before these.
        case .awsChunked: !isFailed && bytes.contains { $0 == 0x3B || $0 == 0x0D }
        }
    }

    private static func isStart(_ bytes: some Collection<UInt8>, of signature: [UInt8]) -> Bool {
        bytes.starts(with: signature) || signature.starts(with: bytes)
    }

    /// RFC 1950 §2.2: method 8, window ≤ 7, and the first two bytes a multiple of 31. Encoders
    /// produce no raw stream that starts this way.
    static func isZlibHead(_ bytes: [UInt8]) -> Bool {
        bytes[0] & 0x0F == 8 && bytes[0] >> 4 <= 7
            && (UInt16(bytes[0]) << 8 | UInt16(bytes[1])) % 31 == 0
    }

    /// Whether bytes are UTF-8 without control characters.
    /// - Parameter isCut: Whether they may end within a character.
    static func isText(_ bytes: [UInt8], isCut: Bool) -> Bool {
        let isPlain = bytes.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D
        }
        guard isPlain else { return false }
        var end = bytes.count
        if isCut {
            while end > 0, bytes.count - end < 3, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
            if end > 0, bytes[end - 1] >= 0xC0 { end -= 1 }
        }
        return (try? UTF8Span(validating: bytes.span.extracting(0..<end))) != nil
    }
}
