import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydTLS

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
