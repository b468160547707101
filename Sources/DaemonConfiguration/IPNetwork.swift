internal import Glibc

/// A range of IP addresses, such as `192.168.1.0/24` or `fd00::/8`, or a single address.
///
/// IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) are treated as IPv4 addresses.
package struct IPNetwork: Sendable, Hashable {
    /// The network's address: 4 or 16 bytes.
    package let bytes: [UInt8]
    /// The number of leading bits that are compared.
    package let prefixBitCount: Int

    /// Parses `ADDRESS` or `ADDRESS/BITS`, or returns nil if it is neither. No names, no brackets.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.bytes(ofAddress: String(parts[0])) else { return nil }
        bytes = address
        guard parts.count == 2 else {
            prefixBitCount = address.count * 8
            return
        }
        guard let bits = UInt8(parts[1]), bits <= address.count * 8 else { return nil }
        prefixBitCount = Int(bits)
    }

    /// Whether an address, as text without brackets, is in the range.
    package func contains(_ address: String) -> Bool {
        guard let candidate = Self.bytes(ofAddress: address) else { return false }
        return contains(bytes: candidate)
    }

    private func contains(bytes candidate: [UInt8]) -> Bool {
        guard candidate.count == bytes.count else { return false }
        var bitsLeft = prefixBitCount
        for (mine, theirs) in zip(bytes, candidate) where bitsLeft > 0 {
            let mask: UInt8 = bitsLeft >= 8 ? 0xFF : 0xFF << UInt8(8 - bitsLeft)
            guard mine & mask == theirs & mask else { return false }
            bitsLeft -= 8
        }
        return true
    }

    /// Whether every address of the range is one of this machine's loopback addresses.
    package var isLoopback: Bool {
        bytes.count == 4
            ? bytes[0] == 127 && prefixBitCount >= 8
            : bytes == Self.loopback6 && prefixBitCount == 128
    }

    /// Whether every address of the range is one that internet routers do not forward: loopback,
    /// private (RFC 1918, RFC 4193), shared by a provider's customers (RFC 6598), or link-local
    /// (RFC 3927, RFC 4291).
    package var isPrivate: Bool {
        Self.privateNetworks.contains { wider in
            wider.prefixBitCount <= prefixBitCount && wider.contains(bytes: bytes)
        }
    }

    /// Whether the range is public and larger than one owner usually has: a /16, or a /32 for IPv6.
    package var isOpenToStrangers: Bool {
        !isPrivate && prefixBitCount < (bytes.count == 4 ? 16 : 32)
    }

    private static let privateNetworks = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10",
        "169.254.0.0/16", "::1", "fc00::/7", "fe80::/10",
    ].compactMap { IPNetwork($0) }

    private static let loopback6: [UInt8] = Array(repeating: 0, count: 15) + [1]
    private static let mappedPrefix: [UInt8] =
        Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    private static func bytes(ofAddress text: String) -> [UInt8]? {
        // A NUL would end the text early for inet_pton, which would then parse another address.
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        return bytes.starts(with: mappedPrefix) ? Array(bytes[12...]) : bytes
    }
}

extension IPNetwork: CustomStringConvertible {
    /// `ADDRESS/BITS`, or only the address if the range is a single one.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
        let text = String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
        return prefixBitCount == bytes.count * 8 ? text : "\(text)/\(prefixBitCount)"
    }
}
