public import ProxydEventLoops
public import ProxydHTTPWire

extension PROXYAddresses.Endpoint {
    /// The endpoint of an IP address; nil for a Unix socket.
    public init?(_ address: SocketAddress) {
        guard let parsed = InternetAddress(address.ip) else { return nil }
        self.init(address: parsed.bytes, port: address.port)
    }
}
