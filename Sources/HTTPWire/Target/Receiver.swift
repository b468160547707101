/// The recipient of a request, which determines the forms its target may have (RFC 9112 §3.2).
public enum Receiver: Sendable, Hashable {
    /// The proxy: absolute-form, authority-form for CONNECT, origin-form for the proxy's own pages.
    case proxy
    /// An origin reached through an intercepted tunnel: origin-form, or absolute-form that names
    /// this origin. `host` has no brackets.
    case origin(scheme: String, host: String, port: UInt16)
}
