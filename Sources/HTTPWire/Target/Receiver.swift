/// The recipient of a request, which determines the forms its target may have (RFC 9112 §3.2).
public enum Receiver: Sendable, Hashable {
    /// The proxy: absolute-form, authority-form for CONNECT, origin-form for the proxy's own pages.
    case proxy
    /// An origin reached through an intercepted tunnel: origin-form, or absolute-form that names
    /// this origin. `host` has no brackets.
    case origin(scheme: String, host: String, port: UInt16)
    /// An origin whose address is all that is known, because the client has not named it: the host
    /// is the one that the request names, and the address without a name. The port is that of the
    /// connection.
    case address(scheme: String, host: String, port: UInt16)
    /// A server whose place the proxy takes: origin-form, or absolute-form with one of the names.
    case server(ReplacedServer)
}
