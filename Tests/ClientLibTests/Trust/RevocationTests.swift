import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydTLS

@Suite(.enabled(if: OpenSSLTool.path != nil, "no openssl program to make lists with"))
struct RevocationTests {
    /// A list of the authority's that has these certificates on it.
    private func list(_ authority: TestAuthority, revoking leaves: [LeafCertificate]) throws
        -> String
    {
        let entries = try leaves.map { leaf in
            let path = try authority.write(leaf.certificate.pem, to: "leaf.pem")
            return path
        }
        let settings = """
            [ca]
            default_ca = own
            [own]
            database = index.txt
            crlnumber = number
            default_md = sha256
            default_crl_days = 2
            """
        _ = try authority.write(Array(settings.utf8), to: "ca.cnf")
        _ = try authority.write([], to: "index.txt")
        _ = try authority.write(Array("01\n".utf8), to: "number")
        let ca = "ca -config ca.cnf -keyfile ca/ca-key.pem -cert ca/ca.pem"
        for path in entries {
            try OpenSSLTool.run("\(ca) -revoke \(path)", in: authority.directory)
        }
        try OpenSSLTool.run("\(ca) -gencrl -out list.pem", in: authority.directory)
        return authority.directory + "/list.pem"
    }

    private func error(
        _ leaf: LeafCertificate, _ authority: TestAuthority, _ lists: [String]
    ) async throws -> ClientError? {
        let server = try ScriptedServer.secure(authority.context(leaf))
        var configuration = authority.configuration
        configuration.serverTrustManager = ServerTrustManager(evaluators: [
            "127.0.0.1": try RevocationTrustEvaluator(listPaths: lists)
        ])
        let session = Session(configuration: configuration)
        let response = await session.request(server.secureURL).serializingData().response
        #expect(server.received.count == (response.error == nil ? 1 : 0))
        return response.error
    }

    @Test
    func `a revoked certificate is rejected, but another one from the same issuer is accepted`()
        async throws
    {
        let authority = try TestAuthority()
        let revoked = try authority.leaf()
        let list = try list(authority, revoking: [revoked])
        let refusal = try await error(revoked, authority, [list])?.underlying as? ServerTrustError
        guard case .revocationCheckFailed(let why)? = refusal else {
            Issue.record("another error: \(String(describing: refusal))")
            return
        }
        #expect(why.reason == .revoked)
        #expect(try await error(authority.leaf(), authority, [list]) == nil)
    }

    @Test func `a certificate revocation list may be in DER format`() async throws {
        let authority = try TestAuthority()
        let revoked = try authority.leaf()
        _ = try list(authority, revoking: [revoked])
        try OpenSSLTool.run(
            "crl -in list.pem -outform DER -out list.der", in: authority.directory)
        #expect(
            try await error(revoked, authority, [authority.directory + "/list.der"]) != nil)
    }

    @Test
    func
        `RevocationTrustEvaluator rejects a certificate if its issuer's revocation list is absent`()
        async throws
    {
        let authority = try TestAuthority()
        let other = try TestAuthority()
        let foreign = try list(other, revoking: [])
        let refusal =
            try await error(authority.leaf(), authority, [foreign])?.underlying
            as? ServerTrustError
        guard case .revocationCheckFailed? = refusal else {
            Issue.record("another error: \(String(describing: refusal))")
            return
        }
    }

    @Test
    func `the error for a revocation list file that contains no list has the file's path`()
        throws
    {
        let authority = try TestAuthority()
        let error = #expect(throws: CertificateFileError.self) {
            try RevocationTrustEvaluator(listPaths: [authority.rootPath])
        }
        #expect(error?.path == authority.rootPath)
    }
}
