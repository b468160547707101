internal import ProxydEventLoops
internal import ProxydHTTPModel
public import ProxydTLS

extension TLSPolicy {
    /// How a proxy speaks to the server of a tunnel that it reads.
    ///
    /// The name that the client asked for is sent on and verified; where it asked for none, or for
    /// an address, the certificate must be for the host that CONNECT named.
    public static func proxied(
        host: String, serverName: String?, isVerified: Bool, alpn: [String] = ["http/1.1"]
    ) -> TLSPolicy {
        let asked = serverName.map(HostName.canonical)
        let isAddress = asked.map { SocketAddress(ip: $0, port: 0) != nil } ?? true
        let known = HostName.canonical(host)
        return TLSPolicy(
            name: isAddress ? known : asked ?? known,
            verification: isVerified ? .required : .disabled, alpn: alpn)
    }
}
