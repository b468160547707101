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

/// The grammar of an IPv6 address (RFC 3986 §3.2.2, RFC 4291 §2.2): eight groups, of which one run
/// of zeros may be written as `::` and the last two as an IPv4 address. Zones are not allowed.
enum IPv6Literal {
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var groupCount = 0
        var hasGap = false
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: ":") {
                let isDouble = index &+ 1 < bytes.count && bytes[index &+ 1] == UInt8(ascii: ":")
                // A single colon must be between two groups, and `::` may occur only once.
                guard isDouble ? !hasGap : groupCount > 0 && index &+ 1 < bytes.count else {
                    return false
                }
                hasGap = hasGap || isDouble
                index &+= isDouble ? 2 : 1
                if isDouble && index == bytes.count { break }
            }
            let start = index
            while index < bytes.count, WireNumber.hexDigit(bytes[index]) != nil { index &+= 1 }
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                groupCount &+= 2
                index = bytes.count
                guard isIPv4(bytes.extracting(start..<bytes.count)) else { return false }
            } else {
                guard 1...4 ~= index &- start else { return false }
                groupCount &+= 1
            }
        }
        return hasGap ? groupCount < 8 : groupCount == 8
    }

    /// Whether the bytes are four decimal numbers up to 255, separated by dots.
    private static func isIPv4(_ bytes: Span<UInt8>) -> Bool {
        var partCount = 0
        var start = 0
        while start <= bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: ".") { end &+= 1 }
            guard end &- start <= 3,
                let part = WireNumber.decimal(bytes.extracting(start..<end)), part <= 255
            else { return false }
            partCount &+= 1
            start = end &+ 1
        }
        return partCount == 4
    }
}

/// An IPv4 or IPv6 address as 4 or 16 bytes, in network byte order.
public struct InternetAddress: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Creates an address from its bytes; nil if they are neither 4 nor 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses an address without brackets and zone; nil for anything else. The numbers of an IPv4
    /// address are decimal, without leading zeros, which others read as octal.
    public init?(_ text: some StringProtocol) {
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        guard let bytes = isIPv6 ? Self.ipv6(text) : Self.ipv4(text) else { return nil }
        self.bytes = bytes
    }

    public var isIPv6: Bool { bytes.count == 16 }

    /// Whether the first bits equal those of another address of the same family.
    public func hasPrefix(of other: InternetAddress, bitCount: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        let byteCount = bitCount / 8
        guard bytes.prefix(byteCount) == other.bytes.prefix(byteCount) else { return false }
        guard bitCount % 8 > 0, byteCount < bytes.count else { return true }
        let mask = ~(UInt8.max &>> UInt8(truncatingIfNeeded: bitCount % 8))
        return bytes[byteCount] & mask == other.bytes[byteCount] & mask
    }

    private static func ipv4(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            let isDecimal = part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isDecimal, part == "0" || part.first != "0", let byte = UInt8(part) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func ipv6(_ text: some StringProtocol) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard IPv6Literal.isValid(bytes.span) else { return nil }
        // What is before and after the run of zeros, if there is one.
        var head: [UInt8] = []
        var tail: [UInt8]?
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            if part.isEmpty {
                tail = tail ?? []
            } else if let bytes = part.contains(".") ? ipv4(part) : group(part) {
                tail?.append(contentsOf: bytes)
                if tail == nil { head.append(contentsOf: bytes) }
            } else {
                return nil
            }
        }
        let rest = tail ?? []
        return head + [UInt8](repeating: 0, count: 16 - head.count - rest.count) + rest
    }

    private static func group(_ text: some StringProtocol) -> [UInt8]? {
        UInt16(text, radix: 16).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
