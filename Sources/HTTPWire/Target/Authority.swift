internal import ProxydHTTPModel

/// `host [ ":" port ]` (RFC 3986 §3.2) without user information, which HTTP forbids.
struct Authority {
    /// The host as written, without brackets.
    let host: String
    /// The port, or nil if it is missing or empty.
    let port: UInt16?

    /// The maximum length of a Host value: 255 for the longest name, plus `:65535`.
    private static let byteCountMax = 261

    init(_ bytes: Span<UInt8>) throws(WireError) {
        let parts = try Authority.parts(bytes)
        port = parts.port
        host = bytes.extracting(parts.host).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Throws an error if an authority is not valid.
    static func check(_ bytes: Span<UInt8>) throws(WireError) { _ = try parts(bytes) }

    /// Whether a valid authority means this host, ignoring case, and this port, which may be
    /// omitted if it is the default. False if it is not an authority.
    static func means(
        _ bytes: Span<UInt8>, host: String, port: UInt16, defaultPort: UInt16
    ) -> Bool {
        let name = host.utf8.span
        do throws(WireError) {
            // Usually the name is written exactly like this, so only the port has to be parsed.
            if bytes.count >= name.count,
                ASCII.equalsIgnoringCase(bytes.extracting(0..<name.count), name)
            {
                let written = try self.port(bytes.extracting(name.count..<bytes.count))
                return written ?? defaultPort == port
            }
            let found = try parts(bytes)
            return ASCII.equalsIgnoringCase(bytes.extracting(found.host), name)
                && found.port ?? defaultPort == port
        } catch {
            return false
        }
    }

    /// Whether two authorities mean the same host and port; false if one is not an authority.
    static func isSame(_ bytes: Span<UInt8>, _ other: Span<UInt8>, defaultPort: UInt16) -> Bool {
        do throws(WireError) {
            let found = try Authority(other)
            return means(
                bytes, host: found.host, port: found.port ?? defaultPort, defaultPort: defaultPort)
        } catch {
            return false
        }
    }

    private static func parts(
        _ bytes: Span<UInt8>
    ) throws(WireError) -> (host: Range<Int>, port: UInt16?) {
        guard bytes.count > 0, bytes.count <= byteCountMax else {
            throw WireError(.badHost, in: .request)
        }
        do throws(WireError) {
            let isLiteral = bytes[0] == UInt8(ascii: "[")
            let host = isLiteral ? try literalRange(bytes) : try nameRange(bytes)
            let end = isLiteral ? host.upperBound &+ 1 : host.upperBound
            return (host, try port(bytes.extracting(end..<bytes.count)))
        } catch {
            // Neither a host nor a port may contain an `@`.
            for index in bytes.indices where bytes[index] == UInt8(ascii: "@") {
                throw WireError(.userInfo, in: .request)
            }
            throw error
        }
    }

    private static func nameRange(_ bytes: Span<UInt8>) throws(WireError) -> Range<Int> {
        var end = 0
        while end < bytes.count, ByteClass.isRegisteredName(bytes[end]) { end &+= 1 }
        guard end > 0, end == bytes.count || bytes[end] == UInt8(ascii: ":") else {
            throw WireError(.badHost, in: .request)
        }
        return 0..<end
    }

    private static func literalRange(_ bytes: Span<UInt8>) throws(WireError) -> Range<Int> {
        var end = 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "]") { end &+= 1 }
        guard end < bytes.count, IPv6Literal.isValid(bytes.extracting(1..<end)) else {
            throw WireError(.badHost, in: .request)
        }
        return 1..<end
    }

    /// Parses `:` and a port; an empty string and `:` alone mean no port.
    private static func port(_ bytes: Span<UInt8>) throws(WireError) -> UInt16? {
        guard bytes.count > 0 else { return nil }
        guard bytes[0] == UInt8(ascii: ":") else { throw WireError(.badHost, in: .request) }
        guard bytes.count > 1 else { return nil }
        guard let port = WireNumber.port(bytes.extracting(1..<bytes.count)) else {
            throw WireError(.badPort, in: .request)
        }
        return port
    }
}
