internal import ProxydHTTPModel

/// The host names that mean the proxy's own pages. Asked of the names alone: of the configuration,
/// each request would copy it whole.
extension Set<String> {
    /// Whether a host is one of these names; case and a final dot do not matter.
    func haveHost(_ host: String) -> Bool {
        // They are few: comparing with each costs less than hashing.
        for own in self where HostName.areSame(own, host) { return true }
        return false
    }
}
