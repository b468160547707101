import ProxydTestSupport
import Testing

@testable import ProxydTLS

@Suite struct AuthorityScopeTests {
    @Test
    func `a CA name constraint permits the name itself and its subdomains, ignoring letter case`()
        throws
    {
        let scope = try #require(AuthorityScope(names: ["Example.com.", "b.test"]))
        #expect(scope.names == ["b.test", "example.com"])
        for name in ["example.com", "A.EXAMPLE.com.", "x.y.b.test"] {
            #expect(scope.permits(name), "\(name)")
        }
        for name in ["example.org", "notexample.com", "com", "", "192.0.2.1", "[::1]", "::1"] {
            #expect(!scope.permits(name), "\(name)")
        }
    }

    @Test func `a CA without name constraints permits every host`() {
        #expect(AuthorityScope(names: []) == .unlimited)
        #expect(AuthorityScope.unlimited.permits("192.0.2.1"))
    }

    @Test(arguments: ["", "*", "*.example.com", "192.0.2.1", "::1", "a,b", "a;IP:1", "é.example"])
    func `CA name constraints that are not DNS names are rejected`(name: String) {
        #expect(AuthorityScope(names: ["example.com", name]) == nil)
    }

    @Test func `a CA keeps its name constraints across restarts and signs for no other host`()
        throws
    {
        let directory = try ScratchFolder()
        let scope = try #require(AuthorityScope(names: ["example.com", "b.test"]))
        let made = try CertificateAuthority.loadOrCreate(in: directory.path, scope: scope)
        #expect(made.certificate.signingScope == scope)
        let again = try CertificateAuthority.loadOrCreate(in: directory.path, scope: scope)
        #expect(again.certificate == made.certificate)
        let leaves = try LeafCertificateCache(authority: again)
        _ = try leaves.serverContext(for: "www.example.com")
        for name in ["example.org", "127.0.0.1"] {
            #expect(throws: TLSError.self) { try leaves.serverContext(for: name) }
        }
    }

    @Test
    func `name constraints other than those of the existing CA are rejected, and the CA is kept`()
        throws
    {
        let directory = try ScratchFolder()
        let made = try CertificateAuthority.loadOrCreate(in: directory.path)
        let scope = try #require(AuthorityScope(names: ["example.com"]))
        let error = #expect(throws: CertificateAuthorityError.self) {
            try CertificateAuthority.loadOrCreate(in: directory.path, scope: scope)
        }
        #expect(error?.kind == .mismatch)
        #expect(error?.message.contains("made to sign for any name") == true)
        #expect(
            try CertificateAuthority.loadCertificate(in: directory.path) == made.certificate)
    }
}
