import ClientLib
import Foundation
import ProxydClientTestSupport

@testable import ProxydTLS

/// An authority with a directory of its own, of which the private key is at hand: it signs whatever
/// a test wants.
final class TestAuthority: Sendable {
    static let day = 86_400

    let directory: String
    let key: PrivateKey
    let certificate: Certificate
    /// The authority's certificate as a file.
    let rootPath: String

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/trust-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        _ = try CertificateAuthority.loadOrCreate(in: directory)
        rootPath = CertificateAuthority.certificatePath(in: directory)
        guard let root = PEM.certificates(in: try TestAuthority.read(rootPath)).first,
            let rootKey = PEM.privateKey(
                in: try TestAuthority.read(directory + "/ca/ca-key.pem"))
        else { throw CocoaError(.fileReadCorruptFile) }
        certificate = root
        key = rootKey
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    static func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Writes a file into the directory.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = "\(directory)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// From and to, in days from now.
    static func validity(_ from: Int, _ to: Int) -> CertificateBuilder.Validity {
        let now = CertificateClock.now()
        return .init(from: now + from * day, to: now + to * day)
    }

    /// A certificate for a host, signed by the authority or by itself.
    func leaf(
        _ name: String = "127.0.0.1",
        validity: CertificateBuilder.Validity = TestAuthority.validity(-1, 1),
        isSelfSigned: Bool = false, key: PrivateKey? = nil
    ) throws -> LeafCertificate {
        let leafKey = try key ?? PrivateKey.generate()
        let builder = try CertificateBuilder(key: leafKey, validity: validity)
        try builder.addSubject("CN", name)
        try builder.setIssuer(isSelfSigned ? nil : certificate)
        try builder.addExtension(.extendedKeyUsage, "serverAuth")
        try builder.addAlternativeName(PeerName(name))
        return LeafCertificate(
            certificate: try builder.sign(with: isSelfSigned ? leafKey : self.key), key: leafKey,
            validity: validity)
    }

    /// What a server needs to show a certificate.
    func context(
        _ leaf: LeafCertificate, alsoSending others: [Certificate] = [],
        clientTrust: TrustStore? = nil
    ) throws -> TLSServerContext {
        var leaf = leaf
        leaf.intermediates = others
        return TLSServerContext(
            name: "server", base: try ServerContextBase(madeAt: CertificateClock.now()),
            leaf: leaf, clientTrust: clientTrust)
    }

    /// A configuration that trusts the authority and no one else.
    var configuration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .files([rootPath])
        return configuration
    }

    /// The authority's own certificate.
    var root: ServerCertificate? { ServerCertificate(der: certificate.der) }
}

extension LeafCertificate {
    var shown: ServerCertificate? { ServerCertificate(der: certificate.der) }
}

extension ScriptedServer {
    /// A secure server that answers everything.
    static func secure(_ context: TLSServerContext) throws -> ScriptedServer {
        try ScriptedServer(tls: context) { _ in ScriptedServer.response(200, "secret") }
    }

    var secureURL: String { "https://127.0.0.1:\(port)/" }
}
