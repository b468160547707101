internal import Glibc

/// An IPv4 or IPv6 address as 4 or 16 bytes, in network byte order.
package struct InternetAddress: Sendable, Hashable {
    /// 4 bytes for IPv4, 16 for IPv6.
    package let bytes: [UInt8]

    /// Parses an address without brackets and zone; nil for anything else.
    package init?(_ text: String) {
        // inet_pton would stop at a NUL and parse another address.
        guard !text.utf8.contains(0) else { return nil }
        for (family, byteCount) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: byteCount)
            if inet_pton(family, text, &bytes) == 1 {
                self.bytes = bytes
                return
            }
        }
        return nil
    }

    /// Whether the first bits equal those of another address of the same family.
    package func hasPrefix(of other: InternetAddress, bitCount: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        let byteCount = bitCount / 8
        guard bytes.prefix(byteCount) == other.bytes.prefix(byteCount) else { return false }
        guard bitCount % 8 > 0, byteCount < bytes.count else { return true }
        let mask = ~(UInt8.max &>> UInt8(truncatingIfNeeded: bitCount % 8))
        return bytes[byteCount] & mask == other.bytes[byteCount] & mask
    }
}
