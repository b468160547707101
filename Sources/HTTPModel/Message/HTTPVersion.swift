/// The version of an HTTP message (RFC 9112 §2.3).
public struct HTTPVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The digit before the dot.
    public let major: UInt8
    /// The digit after the dot.
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
    public var number: Int64 { Int64(major) * 10 + Int64(minor) }

    /// The version as on the wire, `HTTP/1.1`; `HTTP/2` and `HTTP/3`, which do not occur there.
    public var description: String {
        self == .http2 || self == .http3 ? "HTTP/\(major)" : "HTTP/\(major).\(minor)"
    }

    /// Orders versions by major, then minor digit.
    public static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
