/// Which certificate is presented to which servers. It is presented only to servers that ask for
/// one.
public struct ClientCertificates: Sendable {
    private let certificates: HostTable<ClientCertificate>

    /// No certificate for any server.
    public static let none = ClientCertificates(hosts: [:])

    /// Presents the same certificate to every server, including those that redirects lead to.
    public init(_ certificate: ClientCertificate) { self.init(hosts: ["*": certificate]) }

    /// Certificates by host: a name or address as in URLs, `*.example.org` for every name below
    /// `example.org`, or `*` for all. The most specific entry applies.
    public init(hosts: [String: ClientCertificate]) { certificates = HostTable(hosts) }

    /// The certificate for a host, or nil for none.
    public func certificate(forHost host: String) -> ClientCertificate? { match(host)?.value }

    func match(_ host: String) -> (entry: String, value: ClientCertificate)? {
        certificates.match(host)
    }
}
