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

    public init(stringLiteral value: String) { self.init(rawValue: value) }

    public var description: String { rawValue }

    /// Tokens are ASCII, so those of different lengths differ, which is seen sooner than the text.
    @inlinable @inline(__always)
    public static func == (one: HTTPMethod, other: HTTPMethod) -> Bool {
        one.rawValue.utf8.count == other.rawValue.utf8.count && one.rawValue == other.rawValue
    }

    public static let get: HTTPMethod = "GET"
    public static let head: HTTPMethod = "HEAD"
    public static let post: HTTPMethod = "POST"
    public static let put: HTTPMethod = "PUT"
    public static let delete: HTTPMethod = "DELETE"
    public static let connect: HTTPMethod = "CONNECT"
    public static let options: HTTPMethod = "OPTIONS"
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

/// The version of an HTTP message (RFC 9112 §2.3).
public struct HTTPVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let major: UInt8
    public let minor: UInt8

    /// Creates a version from two digits, each 0…9 as in the grammar.
    public init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// HTTP/1.0 (RFC 1945).
    public static var http10: HTTPVersion { HTTPVersion(major: 1, minor: 0) }
    /// HTTP/1.1 (RFC 9112).
    public static var http11: HTTPVersion { HTTPVersion(major: 1, minor: 1) }
    /// HTTP/2 (RFC 9113).
    public static var http2: HTTPVersion { HTTPVersion(major: 2, minor: 0) }
    /// HTTP/3 (RFC 9114), which only imported exchanges have.
    public static var http3: HTTPVersion { HTTPVersion(major: 3, minor: 0) }

    /// Parses a description; nil for anything else.
    public init?(description: String) {
        let digits = Array(description.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst())
            .map { $0 &- UInt8(ascii: "0") }
        let minor: UInt8 = digits.count == 3 ? digits[2] : 0
        guard let major = digits.first, major <= 9, minor <= 9 else { return nil }
        self.init(major: major, minor: minor)
        guard self.description == description else { return nil }
    }

    /// Both digits as one number, as stored: 11 for HTTP/1.1, 20 for HTTP/2, 30 for HTTP/3.
    public var number: Int64 { Int64(major) &* 10 &+ Int64(minor) }

    /// The version as on the wire, `HTTP/1.1`; `HTTP/2` and `HTTP/3`, which do not occur there.
    public var description: String {
        self == .http2 || self == .http3 ? "HTTP/\(major)" : "HTTP/\(major).\(minor)"
    }

    public static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

/// The reason phrases of the registered status codes (RFC 9110 §15, RFC 6585, RFC 4918 and others).
public enum StatusReason {
    /// Returns the reason phrase of a status code; empty if the code is not registered.
    public static func text(of status: Int) -> String { phrases[status] ?? "" }

    private static let phrases: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
        204: "No Content", 205: "Reset Content", 206: "Partial Content", 207: "Multi-Status",
        208: "Already Reported", 226: "IM Used",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 305: "Use Proxy", 307: "Temporary Redirect",
        308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency", 425: "Too Early",
        426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        506: "Variant Also Negotiates", 507: "Insufficient Storage", 508: "Loop Detected",
        511: "Network Authentication Required",
    ]
}
