internal import HTTPModel

/// The host names that mean the proxy's own pages. Asked of the names alone: of the configuration,
/// each request would copy it whole.
extension Set<String> {
    /// Whether a host is one of these names; case and a final dot do not matter.
    func haveHost(_ host: String) -> Bool {
        let name = host.utf8Span.span
        let hasFinalDot = name.count > 0 && name[name.count &- 1] == 0x2E
        let bare = hasFinalDot ? name.extracting(droppingLast: 1) : name
        // They are few: comparing with each costs less than hashing.
        for own in self {
            if ASCII.equalsIgnoringCase(bare, own.utf8Span.span) { return true }
        }
        return false
    }
}
