/// A content coding that this module can decode (RFC 9110 §8.4.1; zstd: RFC 8878; br: RFC 7932).
public enum Coding: String, Sendable, Hashable {
    case gzip
    case deflate
    case brotli = "br"
    case zstd

    /// The coding for a Content-Encoding token, in any case; `x-gzip` is gzip.
    public init?(token: some StringProtocol) {
        switch token.lowercased() {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "br": self = .brotli
        case "zstd": self = .zstd
        default: return nil
        }
    }

    /// The codings of a Content-Encoding value in the order they were applied.
    ///
    /// `identity` and empty list elements are ignored. Multiple field lines must be joined with a
    /// comma first.
    /// - Throws: `.unsupportedCoding` with the first unknown token.
    public static func list(_ contentEncoding: String) throws(ContentCodingError) -> [Coding] {
        var codings: [Coding] = []
        for element in contentEncoding.utf8.split(separator: UInt8(ascii: ",")) {
            let trimmed = element.drop { $0 == 0x20 || $0 == 0x09 }
            let token = Substring(trimmed.prefix { $0 != 0x20 && $0 != 0x09 })
            if token.isEmpty || token.lowercased() == "identity" { continue }
            guard let coding = Coding(token: token) else {
                throw .unsupportedCoding(String(token))
            }
            codings.append(coding)
        }
        return codings
    }
}
