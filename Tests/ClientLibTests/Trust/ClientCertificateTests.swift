import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydTLS

@Suite(.enabled(if: OpenSSLTool.path != nil, "no openssl program to make certificates with"))
struct ClientCertificateTests {
    private struct Files {
        let authority: TestAuthority
        var directory: String { authority.directory }

        init() throws {
            authority = try TestAuthority()
            try OpenSSLTool.run(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                    + "-subj /CN=me -addext extendedKeyUsage=clientAuth "
                    + "-addext basicConstraints=CA:FALSE -keyout me.key -out me.pem",
                in: directory)
        }

        var certificate: [UInt8] { get throws { try TestAuthority.read(directory + "/me.pem") } }

        /// A server that lets in whoever shows that certificate.
        func server() throws -> ScriptedServer {
            let own = PEM.certificates(in: try certificate).map(\.der)
            return try .secure(
                authority.context(
                    authority.leaf(), clientTrust: try TrustStore(certificates: own)))
        }

        func error(_ certificates: ClientCertificates) async throws -> ClientError? {
            let server = try server()
            var configuration = authority.configuration
            configuration.clientCertificates = certificates
            let session = Session(configuration: configuration)
            let response = await session.request(server.secureURL).serializingData().response
            #expect(server.received.count == (response.error == nil ? 1 : 0))
            return response.error
        }
    }

    @Test func `a client certificate is sent to a server that requests it`() async throws {
        let files = try Files()
        let own = try ClientCertificate(
            certificatePath: files.directory + "/me.pem", keyPath: files.directory + "/me.key")
        #expect(own.certificate?.subject == "CN=me")
        #expect(try await files.error(ClientCertificates(own)) == nil)
        #expect(try await files.error(ClientCertificates(hosts: ["127.0.0.1": own])) == nil)
    }

    @Test
    func `if a server requires a client certificate and none matches, the error mentions that`()
        async throws
    {
        let files = try Files()
        let own = try ClientCertificate(
            certificatePath: files.directory + "/me.pem", keyPath: files.directory + "/me.key")
        for certificates in [.none, ClientCertificates(hosts: ["elsewhere.example": own])] {
            let error = try #require(try await files.error(certificates))
            #expect(error.fault == .server)
            #expect(error.message.contains("client certificate"))
        }
    }

    @Test func `PKCS 12 files and encrypted private keys can be read only with the right password`()
        async throws
    {
        let files = try Files()
        try OpenSSLTool.run(
            "pkcs12 -export -in me.pem -inkey me.key -passout pass:open -out me.p12",
            in: files.directory)
        try OpenSSLTool.run(
            "pkey -in me.key -aes256 -passout pass:open -out locked.key", in: files.directory)
        let both = [
            try ClientCertificate(pkcs12Path: files.directory + "/me.p12", password: "open"),
            try ClientCertificate(
                certificatePath: files.directory + "/me.pem",
                keyPath: files.directory + "/locked.key", password: "open"),
        ]
        for own in both { #expect(try await files.error(ClientCertificates(own)) == nil) }
        #expect(throws: CertificateFileError.self) {
            try ClientCertificate(pkcs12Path: files.directory + "/me.p12", password: "shut")
        }
        for password in ["shut", nil] {
            #expect(throws: CertificateFileError.self) {
                try ClientCertificate(
                    certificatePath: files.directory + "/me.pem",
                    keyPath: files.directory + "/locked.key", password: password)
            }
        }
    }

    @Test
    func `a client certificate with a wrong key, a missing file or a wrong format is an error`()
        throws
    {
        let files = try Files()
        #expect(throws: CertificateFileError.self) {
            try ClientCertificate(
                certificatePath: files.directory + "/me.pem",
                keyPath: files.directory + "/ca/ca-key.pem")
        }
        #expect(throws: CertificateFileError.self) {
            try ClientCertificate(certificatePath: files.directory + "/none.pem")
        }
        #expect(throws: CertificateFileError.self) {
            try ClientCertificate(pkcs12Path: files.directory + "/me.pem")
        }
    }
}
