/// What forwarding adds or leaves out beyond what RFC 9110 §7.6 asks.
public struct ForwardingOptions: Sendable, Hashable {
    /// The name we give ourselves in Via (RFC 9110 §7.6.3); nil adds no Via.
    public var viaPseudonym: String?
    /// What a response's Date says where the server gave none (RFC 9110 §6.6.1); nil adds no Date.
    public var date: String?
    /// Writes `Connection: close` to the server: this connection will not be used again.
    public var closesConnection = false
    /// Makes the Host line anew from the URL even where the client's target does not ask for it.
    public var regeneratesHost = false
    /// Leaves the client's Host line alone even where an absolute target names another host, which
    /// RFC 9112 §3.2.2 does not let a proxy do.
    public var keepsHost = false
    /// What replaces the value of Max-Forwards, where the request has one (RFC 9110 §7.6.2); nil
    /// leaves it alone. None is ever added.
    public var maxForwards: UInt64?
    /// Whether an offered upgrade (but h2c) goes on to the server.
    public var allowsUpgrade = true

    /// The defaults: no Via, no Date, upgrades allowed.
    public init() {}
}
