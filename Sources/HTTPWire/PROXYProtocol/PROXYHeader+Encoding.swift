extension PROXYHeader {
    /// The bytes of the header. Addresses of different families cannot be written: the header then
    /// names none.
    public func bytes(_ version: PROXYVersion) -> [UInt8] {
        let writable = addresses.flatMap {
            $0.source.address.isIPv6 == $0.destination.address.isIPv6 ? $0 : nil
        }
        switch version {
        case .v1: return Array("PROXY \(writable.map(Self.text) ?? "UNKNOWN")\r\n".utf8)
        case .v2:
            guard let writable else { return Self.signature2 + [0x20, 0x00, 0x00, 0x00] }
            let (source, destination) = (writable.source, writable.destination)
            let block =
                source.address.bytes + destination.address.bytes + Self.bytes(source.port)
                + Self.bytes(destination.port)
            let family: UInt8 = source.address.isIPv6 ? 0x21 : 0x11
            return Self.signature2 + [0x21, family] + Self.bytes(UInt16(block.count)) + block
        }
    }

    private static func text(_ addresses: PROXYAddresses) -> String {
        let (source, destination) = (addresses.source, addresses.destination)
        let family = source.address.isIPv6 ? "TCP6" : "TCP4"
        let places = "\(text(source.address)) \(text(destination.address))"
        return "\(family) \(places) \(source.port) \(destination.port)"
    }

    /// An IPv6 address is written without `::`, which every reader must accept.
    private static func text(_ address: InternetAddress) -> String {
        let bytes = address.bytes
        guard address.isIPv6 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
}
