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
}
