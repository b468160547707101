import ProxydTestSupport
@testable import ProxydTLS

/// A root of which the private key is at hand: it signs whatever a test wants.
final class TestIssuer {
    static let day = 86_400

    let directory: ScratchFolder
    let key: PrivateKey
    let certificate: Certificate
    let trusting: TLSClientContext

    init(highestVersion: TLSVersion = .tls13) throws {
        directory = try ScratchFolder()
        key = try PrivateKey.generate()
        certificate = try AuthorityCertificate.make(key: key, now: CertificateClock.now())
        let path = try directory.write("root.pem", certificate.pem)
        trusting = try TLSClientContext(
            trust: .files([path]), highestVersion: highestVersion)
    }

    /// Valid from `from` to `to`, in days from now.
    static func validity(_ from: Int, _ to: Int) -> CertificateBuilder.Validity {
        let now = CertificateClock.now()
        return .init(from: now + from * day, to: now + to * day)
    }

    /// A server that shows a certificate for `name`.
    func server(
        _ name: String, alternativeName: String? = nil,
        validity: CertificateBuilder.Validity = TestIssuer.validity(-1, 1),
        isSelfSigned: Bool = false, extendedKeyUsage: StaticString = "serverAuth"
    ) throws -> TLSServerContext {
        let leafKey = try PrivateKey.generate()
        let builder = try CertificateBuilder(key: leafKey, validity: validity)
        try builder.addSubject("CN", name)
        try builder.setIssuer(isSelfSigned ? nil : certificate)
        try builder.addExtension(.extendedKeyUsage, extendedKeyUsage)
        if alternativeName != "" {
            try builder.addAlternativeName(PeerName(alternativeName ?? name))
        }
        let leaf = LeafCertificate(
            certificate: try builder.sign(with: isSelfSigned ? leafKey : key), key: leafKey,
            validity: validity)
        return TLSServerContext(
            name: name, base: try ServerContextBase(madeAt: CertificateClock.now()), leaf: leaf)
    }

    /// A client that wants `name` against that server.
    func duet(
        _ server: TLSServerContext, wanting policy: TLSPolicy, trust: TLSClientContext? = nil
    ) throws -> Duet {
        Duet(
            client: try TLSSession(client: trust ?? trusting, policy: policy, port: 443),
            server: try TLSSession(server: server, alpn: []))
    }
}
