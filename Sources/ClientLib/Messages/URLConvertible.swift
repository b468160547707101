public import ProxydHTTPModel
public import FoundationEssentials

public protocol URLConvertible: Sendable {
    /// - Throws: `.invalidURL`.
    func asURL() throws(ClientError) -> RawURL
}

/// A type that can be converted to a request; the conversion runs again for each retry.
public protocol RequestConvertible: Sendable {
    func asRequest() throws -> HTTPRequest
}

extension RawURL: URLConvertible {
    public func asURL() throws(ClientError) -> RawURL { self }
}

extension String: URLConvertible {
    /// Parses the text as a URL, keeping it byte for byte.
    public func asURL() throws(ClientError) -> RawURL { try RawURL(self) }
}

extension URL: URLConvertible {
    /// The URL as Foundation writes it.
    public func asURL() throws(ClientError) -> RawURL { try RawURL(absoluteString) }
}

extension URLComponents: URLConvertible {
    /// The URL as Foundation writes it.
    public func asURL() throws(ClientError) -> RawURL {
        guard let string else { throw ClientError(.invalidURL(.notAbsolute)) }
        return try RawURL(string)
    }
}

extension HTTPRequest: RequestConvertible {
    public func asRequest() throws -> HTTPRequest { self }
}

/// URLs from text: kept byte for byte, validated but never normalised or escaped.
extension RawURL {
    /// Parses an absolute http or https URL. A fragment is dropped because it is never sent (RFC
    /// 9110 §7.1). Path and query are kept as written.
    /// - Throws: `.invalidURL` with the reason.
    public init(_ text: String) throws(ClientError) {
        self = try URLText.parse(text)
    }
}

extension RawURL: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a URL from a literal. If the literal is not a URL, requests to it fail with
    /// `.invalidURL`.
    public init(stringLiteral value: String) {
        do throws(ClientError) {
            self = try URLText.parse(value)
        } catch {
            self.init(scheme: "", host: "", port: 0, origin: Array(value.utf8))
        }
    }
}

/// Parses URLs (RFC 3986 §3, RFC 9110 §4.2).
enum URLText {
    static func parse(_ text: String) throws(ClientError) -> RawURL {
        var bytes = Array(text.utf8)
        if let hash = bytes.firstIndex(of: UInt8(ascii: "#")) { bytes.removeSubrange(hash...) }
        let (scheme, start) = try scheme(of: bytes)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ClientError(.invalidURL(.unencodedByte))
        }
        let end = bytes[start...].firstIndex { isAuthorityEnd($0) } ?? bytes.endIndex
        let (host, port) = try authority(bytes[start..<end])
        var origin: [UInt8] = []
        origin.reserveCapacity(bytes.count - end + 1)
        if end == bytes.endIndex || bytes[end] != UInt8(ascii: "/") {
            origin.append(UInt8(ascii: "/"))
        }
        origin.append(contentsOf: bytes[end...])
        return RawURL(
            scheme: scheme, host: host, port: port ?? RawURL.defaultPort(scheme: scheme),
            origin: origin)
    }

    /// The scheme in lower case, and where the authority starts.
    private static func scheme(of bytes: [UInt8]) throws(ClientError) -> (String, Int) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            bytes[colon...].starts(with: "://".utf8)
        else { throw ClientError(.invalidURL(.notAbsolute)) }
        let name = String(decoding: bytes[..<colon].map(ASCII.lowercased), as: UTF8.self)
        guard name == "http" || name == "https" else {
            throw ClientError(.invalidURL(.unsupportedScheme))
        }
        return (name, colon + 3)
    }

    private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }

    private static func authority(
        _ bytes: ArraySlice<UInt8>
    ) throws(ClientError) -> (host: String, port: UInt16?) {
        guard !bytes.contains(UInt8(ascii: "@")) else { throw ClientError(.invalidURL(.userInfo)) }
        var hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        var host = bytes[bytes.startIndex..<hostEnd]
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else {
                throw ClientError(.invalidURL(.badHost))
            }
            host = bytes[(bytes.startIndex + 1)..<close]
            hostEnd = close + 1
            guard host.allSatisfy(isAddressByte) else { throw ClientError(.invalidURL(.badHost)) }
        } else {
            guard host.allSatisfy(isNameByte) else { throw ClientError(.invalidURL(.badHost)) }
        }
        guard !host.isEmpty, host.count <= 255 else { throw ClientError(.invalidURL(.badHost)) }
        return (String(decoding: host, as: UTF8.self), try port(bytes[hostEnd...]))
    }

    /// The port after `:`; empty text or `:` alone means no port.
    private static func port(_ bytes: ArraySlice<UInt8>) throws(ClientError) -> UInt16? {
        guard let colon = bytes.first else { return nil }
        guard colon == UInt8(ascii: ":") else { throw ClientError(.invalidURL(.badHost)) }
        let digits = bytes.dropFirst()
        guard !digits.isEmpty else { return nil }
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { throw ClientError(.invalidURL(.badPort)) }
        return port
    }

    /// Letters, digits, `-._~`, `%` and sub-delimiters (RFC 3986 §3.2.2).
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        case UInt8(ascii: "$")...UInt8(ascii: "."): true  // $%&'()*+,-.
        default: false
        }
    }

    /// Hexadecimal digits, `:` and `.`, and a zone after `%25`.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || (isNameByte(byte) && byte != UInt8(ascii: "*"))
    }
}
