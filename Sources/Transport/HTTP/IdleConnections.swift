/// The kept-alive connections to one target, the newest last. Confined to the pool's loop.
final class IdleConnections {
    var connections: [HTTP1Connection] = []
    /// Whether the pool finds it by its target; where not, the target has another one or none.
    var isListed = true
}
