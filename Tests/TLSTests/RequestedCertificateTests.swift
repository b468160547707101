import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydTLS

/// Client certificates of single sessions.
@Suite(.enabled(if: OpenSSLTool.path != nil, "no openssl program to make certificates with"))
struct RequestedCertificateTests {
    private let folder: ScratchFolder
    private let identity: ClientIdentity
    private let server: TLSServerContext
    private let client: TLSClientContext

    init() throws {
        folder = try ScratchFolder()
        let path = folder.path
        for name in ["me", "server"] {
            try OpenSSLTool.run(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                    + "-subj /CN=\(name).test -addext subjectAltName=DNS:\(name).test "
                    + "-keyout \(name).key -out \(name).pem", in: path)
        }
        func read(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
        }
        identity = try ClientIdentity(
            certificatesPEM: try read("me.pem"), privateKeyPEM: try read("me.key"))
        let own = PEM.certificates(in: try read("me.pem")).map(\.der)
        server = try TLSServerContext(
            name: "server.test", certificatesPEM: try read("server.pem"),
            privateKeyPEM: try read("server.key"),
            clientTrust: try TrustStore(certificates: own))
        let trusted = PEM.certificates(in: try read("server.pem")).map(\.der)
        client = try TLSClientContext(store: try TrustStore(certificates: trusted))
    }

    private func duet(_ identity: ClientIdentity?) throws -> Duet {
        var policy = TLSPolicy(name: "server.test")
        policy.identity = identity
        let duet = Duet(
            client: try TLSSession(client: client, policy: policy, port: 443),
            server: try TLSSession(server: server, alpn: []))
        duet.shakeHands()
        return duet
    }

    @Test func `a client certificate is sent to a server that requests one`() throws {
        let duet = try duet(identity)
        #expect(duet.isEstablished)
        #expect(duet.client.facts?.certificateRequest?.isAnswered == true)
    }

    @Test func `if the client has no certificate, the TLS error says that the server requests one`()
        throws
    {
        let duet = try duet(nil)
        #expect(duet.serverError != nil)
        #expect(duet.clientError?.message.contains("asks for a client certificate") == true)
        #expect(duet.clientError?.message.contains("none is configured") == true)
    }

    @Test
    func `a TLS session made with a client certificate is not resumed without that certificate`()
        throws
    {
        #expect(try duet(identity).isEstablished)
        #expect(try !duet(nil).isEstablished)
        #expect(try duet(identity).isEstablished)
    }
}
