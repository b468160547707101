/// A request method: any token, case-sensitive (RFC 9110 §9.1).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The token as sent; never folded to upper case.
    public let rawValue: String

    /// Wraps a token. No check is made here: `HTTPWire` refuses what is not a token.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The method of a token as it came. The usual ones take no new string.
    public init(_ token: Span<UInt8>) {
        self =
            switch token.count {
            case 3 where ASCII.equals(token, "GET"): .get
            case 3 where ASCII.equals(token, "PUT"): .put
            case 4 where ASCII.equals(token, "POST"): .post
            case 4 where ASCII.equals(token, "HEAD"): .head
            default:
                HTTPMethod(
                    rawValue: token.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
            }
    }

    /// Wraps a literal token.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The token.
    public var description: String { rawValue }

    /// RFC 9110 §9.3.1.
    public static let get: HTTPMethod = "GET"
    /// RFC 9110 §9.3.2.
    public static let head: HTTPMethod = "HEAD"
    /// RFC 9110 §9.3.3.
    public static let post: HTTPMethod = "POST"
    /// RFC 9110 §9.3.4.
    public static let put: HTTPMethod = "PUT"
    /// RFC 9110 §9.3.5.
    public static let delete: HTTPMethod = "DELETE"
    /// RFC 9110 §9.3.6.
    public static let connect: HTTPMethod = "CONNECT"
    /// RFC 9110 §9.3.7.
    public static let options: HTTPMethod = "OPTIONS"
    /// RFC 9110 §9.3.8.
    public static let trace: HTTPMethod = "TRACE"
    /// RFC 5789.
    public static let patch: HTTPMethod = "PATCH"

    /// Whether sending the request twice means the same as sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        switch rawValue {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
