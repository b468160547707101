/// Which certificate is shown to which servers. It is shown only to those that ask for one.
public struct ClientCertificates: Sendable {
    private let certificates: HostTable<ClientCertificate>

    /// None.
    public static let none = ClientCertificates(hosts: [:])

    /// The same for every server, also those that redirects lead to.
    public init(_ certificate: ClientCertificate) { self.init(hosts: ["*": certificate]) }

    /// Certificates by host: a name or address as URLs have it, `*.example.org` for every name
    /// below `example.org`, `*` for all. The most specific one counts.
    public init(hosts: [String: ClientCertificate]) { certificates = HostTable(hosts) }

    /// The certificate for a host; nil for none.
    public func certificate(forHost host: String) -> ClientCertificate? { match(host)?.value }

    func match(_ host: String) -> (entry: String, value: ClientCertificate)? {
        certificates.match(host)
    }
}
