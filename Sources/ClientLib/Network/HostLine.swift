internal import ProxydHTTPModel
internal import ProxydTransport

/// One loop's connections and waiting calls for one host and port. Confined to its lane's loop.
final class HostLine {
    let target: ConnectTarget
    /// The HTTP proxy if requests are sent to it, or nil if they are sent to the server, possibly
    /// through a tunnel.
    let proxy: ProxyServer?
    /// Limits the running calls over all loops.
    let turns: PerHostLimiter
    /// The HTTP/2 connection that carries the calls, if there is one.
    var sharedConnection: ConnectionID?

    init(target: ConnectTarget, proxy: ProxyServer? = nil, turns: PerHostLimiter) {
        self.target = target
        self.proxy = proxy
        self.turns = turns
    }
}
