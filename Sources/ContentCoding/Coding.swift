/// A content coding that this module can decode (RFC 9110 §8.4.1; zstd: RFC 8878; br: RFC 7932;
/// aws-chunked: Amazon S3, Signature Version 4).
public enum Coding: String, Sendable, Hashable {
    case gzip
    case deflate
    case brotli = "br"
    case zstd
    case awsChunked = "aws-chunked"

    /// The coding for a Content-Encoding token, in any case; `x-gzip` is gzip.
    public init?(token: some StringProtocol) {
        switch token.lowercased() {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "br": self = .brotli
        case "zstd": self = .zstd
        case "aws-chunked": self = .awsChunked
        default: return nil
        }
    }

    /// The codings of a Content-Encoding value in the order they were applied.
    ///
    /// `identity` and empty list elements are ignored. Multiple field lines must be joined with a
    /// comma first. aws-chunked is last wherever it is listed: S3's documentation writes it first,
    /// its clients write it last, and it always is the outermost layer.
    /// - Throws: `.unsupportedCoding` with the first unknown token.
    public static func list(_ contentEncoding: String) throws(ContentCodingError) -> [Coding] {
        let (codings, unknown) = listed(contentEncoding)
        if let unknown { throw .unsupportedCoding(unknown) }
        return codings
    }

    /// The known codings as `list` orders them, and the first unknown token.
    public static func listed(_ contentEncoding: String) -> (known: [Coding], unknown: String?) {
        var known: [Coding] = []
        var unknown: String?
        for token in tokens(of: contentEncoding) where token.lowercased() != "identity" {
            if let coding = Coding(token: token) {
                known.append(coding)
            } else {
                unknown = unknown ?? String(token)
            }
        }
        guard known.contains(.awsChunked) else { return (known, unknown) }
        let others = known.filter { $0 != .awsChunked }
        return (others + known.filter { $0 == .awsChunked }, unknown)
    }

    /// A Content-Encoding value without some codings; nil if nothing is left of it.
    public static func value(_ contentEncoding: String, without removed: [Coding]) -> String? {
        let left = tokens(of: contentEncoding).filter { token in
            Coding(token: token).map { !removed.contains($0) } ?? true
        }
        return left.isEmpty ? nil : left.joined(separator: ", ")
    }

    private static func tokens(of contentEncoding: String) -> [Substring] {
        contentEncoding.utf8.split(separator: UInt8(ascii: ",")).compactMap { element in
            let trimmed = element.drop { $0 == 0x20 || $0 == 0x09 }
            let token = Substring(trimmed.prefix { $0 != 0x20 && $0 != 0x09 })
            return token.isEmpty ? nil : token
        }
    }

    /// Whether streams have no signature: only a decoder can tell them from other bytes, and it
    /// decodes some texts to garbage before it fails.
    var isUnsigned: Bool { self == .deflate || self == .brotli }

    /// Whether bytes that cannot be decoded still begin like this coding: damaged, or too short.
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

/// Why a layer that Content-Encoding names was not decoded: the body is not coded that way. Its
/// bytes are passed on unchanged, so nothing is lost.
public enum CodingRemark: Sendable, Hashable {
    /// The coding is not known to this module.
    case unknown(String)
    /// The bytes do not begin like the coding.
    case absent(Coding)
}

extension CodingRemark: CustomStringConvertible {
    /// A message for the user; it never contains bytes of the content or of its head.
    public var description: String {
        switch self {
        case .unknown: "the content coding is not known: the bytes are as they came"
        case .absent(let coding):
            "the content is not \(coding.rawValue): the bytes are as they came"
        }
    }
}

/// Why content could not be decoded completely. The part decoded before the error stays usable.
public enum ContentCodingError: Error, Sendable, Hashable {
    case unsupportedCoding(String)
    /// Content-Encoding names more codings than the limit, which only decompression bombs do.
    case tooManyLayers(count: Int)
    case truncatedInput(Coding)
    /// The input is invalid in the coding, or a checksum does not match.
    case corruptInput(Coding)
    /// The decoded content exceeds the limit; `decodedByteCount` bytes were decoded.
    case overLimit(decodedByteCount: Int)
    /// The stream requires more window memory than the limit (zstd only).
    case windowTooLarge(Coding)
    case outOfMemory(Coding)
}

extension ContentCodingError: CustomStringConvertible {
    /// A message for the user; it never contains bytes of the content.
    public var description: String {
        switch self {
        case .unsupportedCoding: "the content coding is not known"
        case .tooManyLayers(let count): "\(count) content codings on top of each other are too many"
        case .truncatedInput(let coding): "the \(coding.rawValue) content ends too early"
        case .corruptInput(let coding): "the content is not valid \(coding.rawValue)"
        case .overLimit(let count): "stopped at the size limit, after \(count) bytes"
        case .windowTooLarge(let coding): "the \(coding.rawValue) window is over the limit"
        case .outOfMemory(let coding): "out of memory for \(coding.rawValue)"
        }
    }
}
