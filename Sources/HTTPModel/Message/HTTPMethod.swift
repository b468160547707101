/// A request method: any token, case-sensitive (RFC 9110 §9.1).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The token as sent; never converted to upper case.
    public let rawValue: String

    /// Wraps a token without validating it: `HTTPWire` rejects anything that is not a token.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from a token on the wire. The usual ones do not allocate a string.
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

    /// Creates a method from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The token as sent.
    public var description: String { rawValue }

    /// The GET method (RFC 9110 §9.3.1).
    public static let get: HTTPMethod = "GET"
    /// The HEAD method (RFC 9110 §9.3.2).
    public static let head: HTTPMethod = "HEAD"
    /// The POST method (RFC 9110 §9.3.3).
    public static let post: HTTPMethod = "POST"
    /// The PUT method (RFC 9110 §9.3.4).
    public static let put: HTTPMethod = "PUT"
    /// The DELETE method (RFC 9110 §9.3.5).
    public static let delete: HTTPMethod = "DELETE"
    /// The CONNECT method (RFC 9110 §9.3.6).
    public static let connect: HTTPMethod = "CONNECT"
    /// The OPTIONS method (RFC 9110 §9.3.7).
    public static let options: HTTPMethod = "OPTIONS"
    /// The TRACE method (RFC 9110 §9.3.8).
    public static let trace: HTTPMethod = "TRACE"
    /// The PATCH method (RFC 5789).
    public static let patch: HTTPMethod = "PATCH"

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        switch rawValue {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
