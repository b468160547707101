internal import ProxydHTTPModel
internal import ProxydTransport

/// The addresses that a session may connect to.
public struct AddressRules: Sendable {
    /// A host and port with a fixed address.
    private struct Place: Hashable {
        /// The host in the form of `HostName.canonical`.
        let host: String
        let port: UInt16
    }

    /// Whether connecting to an address, without brackets, is allowed. Called for each address that
    /// a name resolves to, and for a proxy's, immediately before connecting to it, on a network
    /// thread: it must not block. A refusal is `.network(.refused)`.
    public var allows: @Sendable (_ address: String) -> Bool
    private var addresses: [Place: String] = [:]

    /// Creates rules, which allow all addresses by default.
    public init(allows: @escaping @Sendable (_ address: String) -> Bool = { _ in true }) {
        self.allows = allows
    }

    /// Connects to `address`, an IP address without brackets, instead of looking up `host` for
    /// `port`, as curl's `--resolve` does; TLS and `Host` still use the host's name. A proxy
    /// resolves names itself.
    public mutating func resolve(_ host: String, port: UInt16, to address: String) {
        addresses[Place(host: HostName.canonical(host), port: port)] = address
    }

    /// The target with its fixed address, if it has one.
    func resolved(_ target: ConnectTarget) -> ConnectTarget {
        guard let address = addresses[Place(host: target.name, port: target.port)] else {
            return target
        }
        return ConnectTarget(host: address, port: target.port, tls: target.tls)
    }
}
