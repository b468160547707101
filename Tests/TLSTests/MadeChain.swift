import Foundation
import ProxydTestSupport

@testable import ProxydTLS

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
