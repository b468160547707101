import Foundation
import ProxydTestSupport

@testable import ProxydTLS

/// An authority in a directory of its own, with the leaves it signs and a client that trusts it.
final class TestAuthority {
    let directory: ScratchFolder
    let authority: CertificateAuthority
    let leaves: LeafCertificateCache
    let trusting: TLSClientContext

    init(highestVersion: TLSVersion = .tls13) throws {
        directory = try ScratchFolder()
        authority = try CertificateAuthority.loadOrCreate(in: directory.path)
        leaves = try LeafCertificateCache(authority: authority)
        let path = CertificateAuthority.certificatePath(in: directory.path)
        trusting = try TLSClientContext(
            trust: .files([path]), highestVersion: highestVersion)
    }

    /// A duet whose server shows `shown` to a client that wants `wanted`.
    func duet(
        _ shown: String, wanted: TLSPolicy? = nil, trust: TLSClientContext? = nil,
        serverALPN: [String] = ["http/1.1"], port: UInt16 = 443
    ) throws -> Duet {
        Duet(
            client: try TLSSession(
                client: trust ?? trusting, policy: wanted ?? TLSPolicy(name: shown), port: port),
            server: try TLSSession(
                server: try leaves.serverContext(for: shown), alpn: serverALPN))
    }
}

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

/// A root, an issuer and a server's certificate, made by the `openssl` program from the lines of
/// its configuration that tell their extensions.
final class MadeChain {
    let directory: ScratchFolder
    private let root: String

    /// `issuer` and `leaf` are extensions such as
    /// `nameConstraints=critical,excluded;DNS:a.example`.
    init(issuer: [String] = [], leaf: [String]) throws {
        directory = try ScratchFolder()
        root = directory.path + "/root"
        try make("root", [Self.authority], signedBy: nil)
        try make("issuer", [Self.authority] + issuer, signedBy: "root")
        try make("leaf", leaf, signedBy: "issuer")
    }

    private static let authority = "basicConstraints=critical,CA:TRUE"

    /// Asks for a certificate and signs it; a root signs itself.
    private func make(_ name: String, _ extensions: [String], signedBy issuer: String?) throws {
        let path = "\(directory.path)/\(name)"
        let lines = ["[req]", "distinguished_name=dn", "[dn]", "[e]"] + extensions
        _ = try directory.write("\(name).conf", Array(lines.joined(separator: "\n").utf8))
        var arguments = [
            "req", "-x509", "-config", path + ".conf", "-extensions", "e", "-subj", "/CN=\(name)",
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7",
            "-keyout", path + ".key", "-out", path + ".pem",
        ]
        if let issuer {
            let signer = "\(directory.path)/\(issuer)"
            arguments += ["-CA", signer + ".pem", "-CAkey", signer + ".key"]
        }
        let result = try OpenSSLTool.run(arguments)
        guard result.isGood else {
            throw TLSError(kind: .configuration, message: result.output)
        }
    }

    /// A client that wants `name`, against the server.
    func duet(wanting name: String) throws -> Duet {
        let chain = try directory.content(of: "leaf.pem") + directory.content(of: "issuer.pem")
        let server = try TLSServerContext(
            name: "made", certificatesPEM: chain,
            privateKeyPEM: directory.content(of: "leaf.key"))
        let trust = try TLSClientContext(trust: .files([root + ".pem"]))
        return Duet(
            client: try TLSSession(client: trust, policy: TLSPolicy(name: name), port: 443),
            server: try TLSSession(server: server, alpn: []))
    }

    /// The verdict of a store apart from any session.
    func failure(wanting name: String) throws -> VerificationFailure? {
        let store = try TrustStore(.files([root + ".pem"]))
        let chain = try ["leaf.pem", "issuer.pem"].flatMap { file in
            PEM.certificates(in: try directory.content(of: file)).map(\.der)
        }
        do throws(VerificationFailure) {
            _ = try store.verify(chain, rules: .init(name: name))
            return nil
        } catch {
            return error
        }
    }
}
