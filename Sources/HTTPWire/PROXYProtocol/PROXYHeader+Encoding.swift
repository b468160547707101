/// The two ends of a connection in a PROXY header.
public struct PROXYAddresses: Sendable, Hashable {
    /// An address and a port.
    public struct Endpoint: Sendable, Hashable {
        /// 4 bytes for IPv4, 16 for IPv6, in network byte order.
        public let address: [UInt8]
        /// The TCP port.
        public let port: UInt16

        /// Creates an endpoint.
        public init(address: [UInt8], port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// The client that connected.
    public let source: Endpoint
    /// Where it connected to.
    public let destination: Endpoint

    /// Creates a pair of endpoints.
    public init(source: Endpoint, destination: Endpoint) {
        self.source = source
        self.destination = destination
    }
}

/// The two forms of a PROXY header.
public enum PROXYVersion: Int, Sendable, Hashable, CaseIterable {
    /// A line of text.
    case v1 = 1
    /// Bytes.
    case v2 = 2
}

/// Writes PROXY headers (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt), the first
/// bytes of a connection, which name the client that it is made for.
public enum PROXYHeaderWriter {
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// The bytes of a header. Addresses of different families cannot be written: the header then
    /// says that the client is unknown.
    public static func header(_ version: PROXYVersion, _ addresses: PROXYAddresses) -> [UInt8] {
        let (source, destination) = (addresses.source, addresses.destination)
        let isWritable =
            source.address.count == destination.address.count
            && (source.address.count == 4 || source.address.count == 16)
        switch version {
        case .v1: return isWritable ? line(source, destination) : Array("PROXY UNKNOWN\r\n".utf8)
        case .v2:
            guard isWritable else { return signature + [0x20, 0x00, 0x00, 0x00] }
            let block =
                source.address + destination.address + bytes(source.port)
                + bytes(destination.port)
            let family: UInt8 = source.address.count == 4 ? 0x11 : 0x21
            return signature + [0x21, family] + bytes(UInt16(block.count)) + block
        }
    }

    private static func line(
        _ source: PROXYAddresses.Endpoint, _ destination: PROXYAddresses.Endpoint
    ) -> [UInt8] {
        let family = source.address.count == 4 ? "TCP4" : "TCP6"
        let places = "\(text(source.address)) \(text(destination.address))"
        return Array("PROXY \(family) \(places) \(source.port) \(destination.port)\r\n".utf8)
    }

    /// An IPv6 address is written without `::`, which every reader must accept.
    private static func text(_ address: [UInt8]) -> String {
        guard address.count == 16 else { return address.map(String.init).joined(separator: ".") }
        let groups = (0..<8).map { UInt16(address[2 * $0]) << 8 | UInt16(address[2 * $0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
}
