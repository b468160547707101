/// Whether an address may be connected to.
public enum ConnectPermission: Sendable, Hashable {
    /// It may.
    case granted
    /// It is one of the proxy's own: the request would come back.
    case ownAddress
    /// The user's configuration forbids it.
    case denied
}
