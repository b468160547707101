/// The names that a CA may sign for, stated in its certificate (name constraints, RFC 5280
/// §4.2.1.10): clients that trust it reject certificates for other names, even if the key is
/// stolen.
public struct AuthorityScope: Sendable, Hashable, CustomStringConvertible {
    /// Any name and address.
    public static let unlimited = AuthorityScope()

    /// DNS names in lower case, sorted; each includes all names below it. Empty if there is no
    /// limit.
    public let names: [String]

    private init() { names = [] }

    /// Creates a limit to `names`, or no limit if there are none. nil if one is not a DNS name.
    public init?(names: [String]) {
        var checked: Set<String> = []
        for name in names {
            guard case .dns(let host) = PeerName(name), PeerName(name).isIssuable else {
                return nil
            }
            checked.insert(host)
        }
        self.names = checked.sorted()
    }

    /// Whether the CA may sign for a DNS name or an address; a limited one may for no address.
    public func permits(_ host: String) -> Bool {
        guard !names.isEmpty else { return true }
        guard case .dns(let name) = PeerName(host) else { return false }
        return names.contains { name == $0 || name.hasSuffix("." + $0) }
    }

    /// `example.com, example.org and the names below them`, or `any name`.
    public var description: String {
        switch names.count {
        case 0: "any name"
        case 1: "\(names[0]) and the names below it"
        default: names.joined(separator: ", ") + " and the names below them"
        }
    }
}
