/// Whom a request is addressed to: it decides which forms its target may have (RFC 9112 §3.2).
public enum Receiver: Sendable, Hashable {
    /// The proxy: absolute-form, authority-form for CONNECT, origin-form for the proxy's own pages.
    case proxy
    /// An origin behind a tunnel that the proxy reads: origin-form, or absolute-form naming it.
    /// `host` has no brackets.
    case origin(scheme: String, host: String, port: UInt16)
}
