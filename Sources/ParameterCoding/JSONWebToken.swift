/// A JSON Web Token in its compact form (RFC 7519 §3), decoded without verification.
public struct JSONWebToken: Sendable, Hashable {
    public static let byteCountMax = 64 << 10

    /// The token as written.
    public let text: String
    /// The JOSE header, which describes the signature or encryption: a JSON object.
    public let header: JSONValue
    /// The claims, a JSON object; nil if encrypted (RFC 7516 §7.1) or if the payload is no object.
    public let claims: JSONValue?
    /// Whether the token is encrypted, so that only its receiver can read it.
    public let isEncrypted: Bool

    /// Decodes a token; nil if the text is not one.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5, text.utf8.count <= JSONWebToken.byteCountMax,
            let header = JSONWebToken.object(parts[0]), JSONWebToken.algorithm(header) != nil
        else { return nil }
        self.text = text
        self.header = header
        isEncrypted = parts.count == 5
        claims = isEncrypted ? nil : JSONWebToken.object(parts[1])
    }

    /// The value of `alg`: `RS256`, or `none`.
    public var algorithm: String { JSONWebToken.algorithm(header) ?? "" }

    /// A time in the claims, in seconds since 1970 (RFC 7519 §2, NumericDate): `exp`, `nbf` or
    /// `iat`; nil if it is missing or out of range.
    public func time(_ claim: String) -> Int64? {
        guard case .object(let members)? = claims,
            case .number(let digits)? = members.last(where: { $0.name == claim })?.value,
            let seconds = Double(digits), abs(seconds) < 1e11
        else { return nil }
        return Int64(seconds)
    }

    /// The tokens in any text, in order and without duplicates.
    public static func all(in bytes: Span<UInt8>, countMax: Int) -> [JSONWebToken] {
        var tokens: [JSONWebToken] = []
        var index = 0
        while index < bytes.count, tokens.count < countMax {
            guard isPart(bytes[index]) else {
                index += 1
                continue
            }
            var end = index
            while end < bytes.count, isPart(bytes[end]) { end += 1 }
            // Every header starts with `{"`, in base64url `eyJ`, or with white space.
            if end - index <= byteCountMax, bytes[index] == UInt8(ascii: "e") {
                let run = bytes.extracting(index..<end).withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                }
                if let token = JSONWebToken(run), !tokens.contains(token) { tokens.append(token) }
            }
            index = end
        }
        return tokens
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func algorithm(_ header: JSONValue) -> String? {
        guard case .object(let members) = header,
            case .string(let name)? = members.last(where: { $0.name == "alg" })?.value
        else { return nil }
        return name
    }

    /// The object in a part, in base64url without padding (RFC 7515 §2).
    private static func object(_ part: Substring.UTF8View) -> JSONValue? {
        var digits = part.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
        // Base64 skips white space, which no token has.
        guard !digits.contains(where: Byte.isJSONWhitespace),
            let bytes = Base64.bytes(digits[...]),
            let value = try? JSONReader().read(bytes), case .object = value
        else { return nil }
        return value
    }
}
