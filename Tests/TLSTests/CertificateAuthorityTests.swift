import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydTLS

@Suite struct CertificateAuthorityTests {
    private func refusal(_ directory: ScratchFolder) throws -> CertificateAuthorityError {
        try #require(
            #expect(throws: CertificateAuthorityError.self) {
                try CertificateAuthority.loadOrCreate(in: directory.path)
            })
    }

    private func made() throws -> ScratchFolder {
        let directory = try ScratchFolder()
        _ = try CertificateAuthority.loadOrCreate(in: directory.path)
        return directory
    }

    @Test func `the files of a new CA are private, whatever the umask`() throws {
        for mask in [0o000, 0o022, 0o777] as [mode_t] {
            let directory = try ScratchFolder()
            let before = umask(mask)
            defer { umask(before) }
            _ = try CertificateAuthority.loadOrCreate(in: directory.path)
            #expect(try directory.mode(of: "ca") == 0o700)
            #expect(try directory.mode(of: "ca/ca.pem") == 0o600)
            #expect(try directory.mode(of: "ca/ca-key.pem") == 0o600)
            let names = try FileManager.default.contentsOfDirectory(
                atPath: directory.path + "/ca")
            #expect(names.sorted() == ["ca-key.pem", "ca.pem"])
        }
    }

    @Test func `the proxy's second start loads the CA that its first start created`() throws {
        let directory = try ScratchFolder()
        let first = try CertificateAuthority.loadOrCreate(in: directory.path)
        let key = try directory.content(of: "ca/ca-key.pem")
        let second = try CertificateAuthority.loadOrCreate(in: directory.path)
        #expect(first.certificate == second.certificate)
        #expect(try directory.content(of: "ca/ca-key.pem") == key)
        #expect(try directory.content(of: "ca/ca.pem") == second.certificatePEM)
        #expect(
            try CertificateAuthority.loadCertificate(in: directory.path) == first.certificate)
    }

    @Test func `two installations of the proxy create different CAs`() throws {
        let first = try TestAuthority().authority.certificate
        let second = try TestAuthority().authority.certificate
        #expect(first.subject != second.subject)
        #expect(first.fingerprint != second.fingerprint)
    }

    @Test func `there is no CA certificate before the first start of the proxy`() throws {
        let directory = try ScratchFolder()
        #expect(try CertificateAuthority.loadCertificate(in: directory.path) == nil)
    }

    @Test func `a new CA certificate is valid for at most two years`() throws {
        let certificate = try TestAuthority().authority.certificate
        #expect(certificate.notAfter - certificate.notBefore <= 730 * 86_400)
        #expect(certificate.notBefore <= CertificateClock.now())
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func `a CA key file that other users can access is rejected`(mode: Int) throws {
        let directory = try made()
        try directory.setMode(mode, of: "ca/ca-key.pem")
        let error = try refusal(directory)
        #expect(error.kind == .unsafeFile)
        #expect(error.path.hasSuffix("/ca/ca-key.pem"))
        #expect(error.message.contains("chmod 600"))
    }

    @Test func `a CA directory that other users can access is rejected`() throws {
        let directory = try made()
        try directory.setMode(0o755, of: "ca")
        #expect(try refusal(directory).message.contains("mode 755"))
    }

    @Test(arguments: ["ca", "ca/ca.pem", "ca/ca-key.pem"])
    func `a CA directory or file that is a symbolic link is rejected`(name: String) throws {
        let directory = try made()
        let target = directory.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: "\(directory.path)/\(name)", toPath: target)
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory.path)/\(name)", withDestinationPath: target)
        let error = try refusal(directory)
        #expect(error.kind == .unsafeFile)
        #expect(error.message.contains("symbolic link"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a CA directory or file that belongs to another user is rejected`() throws {
        for name in ["ca", "ca/ca.pem", "ca/ca-key.pem"] {
            let directory = try made()
            chown("\(directory.path)/\(name)", 12_345, 12_345)
            let error = try refusal(directory)
            #expect(error.kind == .unsafeFile)
            #expect(error.message.contains("belongs to user 12345"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a CA below a directory that belongs to another user is rejected`() throws {
        let directory = try ScratchFolder()
        chown(directory.path, 12_345, 12_345)
        #expect(try refusal(directory).message.contains("could replace what is below it"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give links away"))
    func `a symbolic link in the path to the CA is rejected only if another user owns the link`()
        throws
    {
        let directory = try ScratchFolder()
        mkdir(directory.path + "/real", 0o700)
        let link = directory.path + "/link"
        symlink(directory.path + "/real", link)
        _ = try CertificateAuthority.loadOrCreate(in: link)
        lchown(link, 12_345, 12_345)
        let error = #expect(throws: CertificateAuthorityError.self) {
            try CertificateAuthority.loadOrCreate(in: link)
        }
        #expect(error?.path == link)
    }

    @Test func `a CA below a world-writable directory is rejected`() throws {
        let directory = try made()
        try directory.setMode(0o777, of: "")
        #expect(try refusal(directory).message.contains("world-writable"))
    }

    @Test func `a CA key that does not match the CA certificate is rejected`() throws {
        let directory = try made()
        let other = try made()
        try directory.remove("ca/ca-key.pem")
        _ = try directory.write("ca/ca-key.pem", other.content(of: "ca/ca-key.pem"))
        try directory.setMode(0o600, of: "ca/ca-key.pem")
        #expect(try refusal(directory).kind == .mismatch)
    }

    @Test func `an expired CA is rejected, and the error gives the expiry date`() throws {
        let directory = try ScratchFolder()
        _ = try CertificateAuthority.loadOrCreate(in: directory.path, now: 1_600_000_000)
        let error = try refusal(directory)
        #expect(error.kind == .expired)
        #expect(error.message.contains("expired on 2022-09-12"))
    }

    @Test(arguments: ["ca/ca.pem", "ca/ca-key.pem"])
    func `a CA file that cannot be parsed is rejected and not replaced`(name: String) throws {
        let directory = try made()
        _ = try directory.write(name, Array("garbage".utf8))
        try directory.setMode(0o600, of: name)
        #expect(try refusal(directory).kind == .unreadable)
        #expect(try directory.content(of: name) == Array("garbage".utf8))
    }

    @Test func `a CA certificate without its key is rejected`() throws {
        let directory = try made()
        try directory.remove("ca/ca-key.pem")
        #expect(try refusal(directory).message.contains("missing"))
    }

    @Test func `a missing CA certificate is created again with the existing key`() throws {
        let directory = try made()
        let key = try directory.content(of: "ca/ca-key.pem")
        try directory.remove("ca/ca.pem")
        _ = try CertificateAuthority.loadOrCreate(in: directory.path)
        #expect(try directory.content(of: "ca/ca-key.pem") == key)
    }

    @Test func `the error for a missing data directory names its path`() throws {
        let directory = try ScratchFolder()
        try directory.remove("")
        let error = try refusal(directory)
        #expect(error.kind == .inputOutput)
        #expect(error.message.contains(directory.path))
    }
}

/// An authority whose files come from elsewhere may be one that no client accepts.
@Suite(.enabled(if: OpenSSLTool.path != nil, "the openssl program is not installed"))
struct WeakAuthorityTests {
    /// A directory with an authority as `openssl req` makes it with some options.
    private func directory(_ options: [String]) throws -> ScratchFolder {
        let directory = try ScratchFolder()
        let ca = directory.path + "/ca"
        try FileManager.default.createDirectory(
            atPath: ca, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let made = try OpenSSLTool.run(
            [
                "req", "-x509", "-nodes", "-days", "7", "-subj", "/CN=own", "-keyout",
                ca + "/ca-key.pem", "-out", ca + "/ca.pem",
            ] + options)
        try #require(made.isGood, "\(made.output)")
        try directory.setMode(0o600, of: "ca/ca-key.pem")
        try directory.setMode(0o600, of: "ca/ca.pem")
        return directory
    }

    @Test(arguments: [
        (["-newkey", "rsa:1024"], "its key is too weak (RSA, 1024 bits)"),
        (
            ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime192v1"],
            "its key is too weak (EC, 192 bits)"
        ),
        (["-newkey", "rsa:2048", "-sha1"], "its signature is too weak (sha1)"),
    ])
    func `a CA with a weak key or signature is rejected with advice to remove its directory`(
        options: [String], words: String
    ) throws {
        let directory = try directory(options)
        let key = try directory.content(of: "ca/ca-key.pem")
        let error = #expect(throws: CertificateAuthorityError.self) {
            try CertificateAuthority.loadOrCreate(in: directory.path)
        }
        #expect(error?.kind == .weak)
        #expect(error?.message.contains(words) == true, "\(error as Any)")
        #expect(error?.message.contains("remove the directory") == true)
        #expect(try directory.content(of: "ca/ca-key.pem") == key)
    }

    @Test(arguments: [
        ["-newkey", "rsa:2048"], ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
    ])
    func `a CA with a strong key is accepted`(options: [String]) throws {
        let directory = try directory(options)
        let authority = try CertificateAuthority.loadOrCreate(in: directory.path)
        _ = try LeafCertificateCache(authority: authority).serverContext(for: "a.example")
    }
}
