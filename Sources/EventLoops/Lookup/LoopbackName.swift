/// The names that always mean the local machine, so that no name server is asked (RFC 6761 §6.3):
/// `localhost` and every name below it.
enum LoopbackName {
    /// Whether a name is one of them, in any case and with or without a trailing dot.
    static func matches(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// The addresses of each of them, `::1` and `127.0.0.1`.
    static func addresses(port: UInt16) -> [SocketAddress] {
        [SocketAddress(ipv6: 0, 1, port: port), SocketAddress(ipv4: 0x7F00_0001, port: port)]
    }
}
