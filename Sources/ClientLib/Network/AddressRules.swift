internal import ProxydHTTPModel
internal import ProxydTransport

/// Which addresses a session connects to.
public struct AddressRules: Sendable {
    /// A host and port that are not looked up.
    private struct Place: Hashable {
        /// As `HostName.canonical` writes it.
        let host: String
        let port: UInt16
    }

    /// Whether an address, without brackets, may be connected to. Asked of each that a name
    /// resolves to, and of a proxy's, just before that very address is connected to, on a thread
    /// that serves the network: it must not wait for anything. A refusal is `.network(.refused)`.
    public var allows: @Sendable (_ address: String) -> Bool
    private var addresses: [Place: String] = [:]

    /// Rules that allow all addresses unless given others.
    public init(allows: @escaping @Sendable (_ address: String) -> Bool = { _ in true }) {
        self.allows = allows
    }

    /// Connects to `address`, an IP address without brackets, where `host` and `port` are asked
    /// for, as `--resolve` of curl does: without a look-up, and with the host's name in TLS and in
    /// `Host`. A proxy looks names up for itself.
    public mutating func resolve(_ host: String, port: UInt16, to address: String) {
        addresses[Place(host: HostName.canonical(host), port: port)] = address
    }

    /// Where a connection to a target goes.
    func resolved(_ target: ConnectTarget) -> ConnectTarget {
        guard let address = addresses[Place(host: target.name, port: target.port)] else {
            return target
        }
        return ConnectTarget(host: address, port: target.port, tls: target.tls)
    }
}
