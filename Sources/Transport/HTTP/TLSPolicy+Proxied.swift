internal import ProxydEventLoops
internal import ProxydHTTPModel
public import ProxydTLS

extension TLSPolicy {
    /// The TLS policy of a proxy towards the server of an intercepted tunnel.
    ///
    /// The server name that the client sent is forwarded and verified; if it sent none, or an
    /// address, the certificate must match the host that CONNECT named.
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
