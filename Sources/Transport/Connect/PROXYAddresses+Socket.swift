public import ProxydEventLoops
public import ProxydHTTPWire

extension PROXYAddresses.Endpoint {
    /// The endpoint of an IP address; nil for a Unix socket.
    public init?(_ address: SocketAddress) {
        guard let parsed = InternetAddress(address.ip) else { return nil }
        self.init(address: parsed, port: address.port)
    }
}

extension SocketAddress {
    /// The address of an endpoint.
    public init(_ endpoint: PROXYAddresses.Endpoint) {
        let number = { (bytes: ArraySlice<UInt8>) in
            bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        let bytes = endpoint.address.bytes
        guard endpoint.address.isIPv6 else {
            self.init(
                ipv4: UInt32(truncatingIfNeeded: number(bytes[...])), port: endpoint.port)
            return
        }
        self.init(ipv6: number(bytes[..<8]), number(bytes[8...]), port: endpoint.port)
    }
}
