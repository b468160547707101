/// The version of an HTTP message (RFC 9112 §2.3).
public struct HTTPVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The digit before the dot.
    public let major: UInt8
    /// The digit after the dot.
    public let minor: UInt8

    /// A version of two digits, each 0…9 as the grammar has it.
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

    /// As written on the wire, `HTTP/1.1`; HTTP/2, which is written nowhere, as `HTTP/2`.
    public var description: String {
        self == .http2 ? "HTTP/2" : "HTTP/\(major).\(minor)"
    }

    /// Orders by major, then minor digit.
    public static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
