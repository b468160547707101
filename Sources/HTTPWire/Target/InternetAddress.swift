/// An IPv4 or IPv6 address as 4 or 16 bytes, in network byte order.
public struct InternetAddress: Sendable, Hashable {
    /// 4 bytes for IPv4, 16 for IPv6.
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

    /// Whether it is an IPv6 address.
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
