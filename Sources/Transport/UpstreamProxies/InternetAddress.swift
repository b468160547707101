internal import Glibc

/// An IPv4 or IPv6 address as 4 or 16 bytes, in the order of the wire.
struct InternetAddress: Sendable, Hashable {
    let octets: [UInt8]

    /// Reads an address without brackets and zone; nil for anything else.
    init?(_ text: String) {
        for (family, byteCount) in [(AF_INET, 4), (AF_INET6, 16)] {
            var octets = [UInt8](repeating: 0, count: byteCount)
            if inet_pton(family, text, &octets) == 1 {
                self.octets = octets
                return
            }
        }
        return nil
    }

    /// Whether the first bits are those of another address of the same family.
    func hasPrefix(of other: InternetAddress, bitCount: Int) -> Bool {
        guard octets.count == other.octets.count else { return false }
        let byteCount = bitCount / 8
        guard octets.prefix(byteCount) == other.octets.prefix(byteCount) else { return false }
        guard bitCount % 8 > 0, byteCount < octets.count else { return true }
        let mask = ~(UInt8.max &>> UInt8(truncatingIfNeeded: bitCount % 8))
        return octets[byteCount] & mask == other.octets[byteCount] & mask
    }
}
