/// Which clients may use each of the listeners.
///
/// Listeners are added and removed only by a restart, but a reload may change the clients of those
/// that stay.
package struct AccessByListener: Sendable {
    private var accessOfName: [String: ClientAccess] = [:]
    private var others = ClientAccess()

    /// Creates the access rules of a configuration.
    package init(_ listen: Configuration.Listen) { update(listen) }

    /// Uses another configuration. A listener that it does not contain keeps its allowed clients.
    package mutating func update(_ listen: Configuration.Listen) {
        others = listen.access
        for listener in listen.listeners { accessOfName[listener.name] = listener.access }
    }

    /// The allowed clients of a listener, or those of `[listen]` if no configuration named the
    /// listener.
    package subscript(name: String) -> ClientAccess { accessOfName[name] ?? others }
}
