internal import ProxydHTTPModel

/// The host names of the proxy's own pages. An extension of the set rather than of the
/// configuration, which would be copied for each request.
extension Set<String> {
    /// Whether a host is one of these names; case and a trailing dot do not matter.
    func haveHost(_ host: String) -> Bool {
        // There are only a few names: comparing with each is cheaper than hashing.
        for own in self where HostName.areSame(own, host) { return true }
        return false
    }
}
