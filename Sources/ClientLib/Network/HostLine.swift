internal import ProxydHTTPModel
internal import ProxydTransport

/// The way of one loop to one host and port. Confined to its lane's loop.
final class HostLine {
    let target: ConnectTarget
    /// The HTTP proxy that the target is, where requests go to one; nil where they go to the
    /// server, be it through a tunnel.
    let proxy: ProxyServer?
    /// Who may run, over all loops.
    let turns: PerHostLimiter
    /// The connection of HTTP/2 that carries its calls, as far as one does.
    var sharedConnection: ConnectionID?

    init(target: ConnectTarget, proxy: ProxyServer? = nil, turns: PerHostLimiter) {
        self.target = target
        self.proxy = proxy
        self.turns = turns
    }
}
