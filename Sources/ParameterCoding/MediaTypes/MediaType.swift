/// The value of Content-Type: `type/subtype` and parameters (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// `type/subtype` in lower case.
    public let essence: String
    /// The charset parameter as written.
    public let charset: String?
    /// The boundary parameter, unquoted.
    public let boundary: [UInt8]?

    /// Parses a field value; nil if it is not a media type.
    public init?(_ fieldValue: String) {
        var fieldValue = fieldValue
        let parsed = fieldValue.withUTF8 { MediaType.parse($0.span) }
        guard let parsed else { return nil }
        self = parsed
    }

    private init(essence: String, charset: String?, boundary: [UInt8]?) {
        self.essence = essence
        self.charset = charset
        self.boundary = boundary
    }

    /// The structured suffix (RFC 6838 §4.2.8), such as `json` of `application/problem+json`.
    public var suffix: Substring? {
        essence.lastIndex(of: "+").map { essence[essence.index(after: $0)...] }
    }

    private static func parse(_ bytes: Span<UInt8>) -> MediaType? {
        var start = 0
        while start < bytes.count, Byte.isBlank(bytes[start]) { start &+= 1 }
        var end = start
        var slash: Int?
        while end < bytes.count {
            let byte = bytes[end]
            if byte == 0x2F, slash == nil {
                slash = end
            } else if !Byte.isToken(byte) {
                break
            }
            end &+= 1
        }
        guard let slash, slash > start, end > slash &+ 1 else { return nil }
        let essence = FieldParameters.lowercased(bytes.extracting(start..<end))
        guard end < bytes.count else {
            return MediaType(essence: essence, charset: nil, boundary: nil)
        }
        let parameters = FieldParameters(bytes, from: end)
        return MediaType(
            essence: essence,
            charset: parameters["charset"].map { String(decoding: $0, as: UTF8.self) },
            boundary: parameters["boundary"]
        )
    }
}
