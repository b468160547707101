/// Whether an address may be connected to.
public enum ConnectPermission: Sendable, Hashable {
    /// Connecting is allowed.
    case granted
    /// It is one of the proxy's own addresses: the request would loop back.
    case ownAddress
    /// The user's configuration forbids it.
    case denied
}
