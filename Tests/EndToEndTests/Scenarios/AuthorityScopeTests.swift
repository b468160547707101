import Foundation
import ProxydTestSupport
import Testing

/// An authority that may sign for some names only.
struct AuthorityScopeTests {
    private let limited = "[tls]\nauthority_names = [\"Localhost\", \"b.example\"]\n"

    @Test func `hosts within the CA's permitted names are intercepted, other hosts pass through`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate, configuration: limited)
        let read = try proxy.curl(origin.url("/read"))
        #expect(read.status == 0, "\(read.errors)")
        #expect(try proxy.row("path:/read").text("scheme") == "https")
        let passed = try Tool.run(
            "curl",
            [
                "-sS", "-x", proxy.url, "--cacert", certificate.certificatePath,
                "https://127.0.0.1:\(origin.port)/passed",
            ])
        #expect(passed.status == 0, "\(passed.errors)")
        #expect(try proxy.row("method=CONNECT").text("state") == "tunnel")
    }

    @Test
    func `openssl rejects a name-constrained CA's certificates for names outside the constraints`()
        throws
    {
        let proxy = try Daemon(configuration: limited)
        let forged = try ForgedLeaves(authority: proxy.directory + "/ca")
        #expect(try forged.verify("x.b.example").status == 0)
        for name in ["evil.example", "notb.example", "127.0.0.1", "::1"] {
            let outcome = try forged.verify(name)
            #expect(outcome.status != 0, "\(name)")
            #expect((outcome.text + outcome.errors).contains("subtree violation"), "\(outcome)")
        }
    }

    @Test
    func `proxyd does not start if the configured CA names differ from those of the existing CA`()
        throws
    {
        let data = try ScratchFolder()
        let first = try Daemon(configuration: limited, data: data)
        #expect(first.stop() == 0)
        let file = data.path + "/other.toml"
        try "[tls]\nauthority_names = [\"c.example\"]\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Tool.run(
            try Tool.built("proxyd"),
            ["--listen", "127.0.0.1:0", "--data-dir", data.path + "/data", "--config", file])
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains(
                "made to sign for b.example, localhost and the names below them, and the"
                    + " configuration asks for c.example and the names below it"),
            "\(outcome.errors)")
    }

    @Test func `proxyctl ca doctor lists the names that the CA is permitted to sign for`() throws {
        let proxy = try Daemon(configuration: limited)
        let report = try proxy.proxyctl(["ca", "doctor"])
        #expect(report.text.contains("signs for    b.example, localhost and the names below them"))
    }
}

/// Certificates that a thief of the authority's key makes with the openssl program.
private struct ForgedLeaves {
    let authority: String
    private let directory: ScratchFolder

    init(authority: String) throws {
        self.authority = authority
        directory = try ScratchFolder()
    }

    /// Makes one for a name or an address, and has openssl verify it.
    func verify(_ name: String) throws -> Tool.Outcome {
        let kind = name.contains(":") || name == "127.0.0.1" ? "IP" : "DNS"
        let path = directory.path
        try "subjectAltName=\(kind):\(name)\nextendedKeyUsage=serverAuth\n"
            .write(toFile: path + "/ext", atomically: true, encoding: .utf8)
        for arguments in [
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                path + "/key", "-out", path + "/request", "-subj", "/O=forged",
            ],
            [
                "x509", "-req", "-in", path + "/request", "-CA", authority + "/ca.pem", "-CAkey",
                authority + "/ca-key.pem", "-set_serial", "7", "-days", "2", "-extfile",
                path + "/ext", "-out", path + "/leaf",
            ],
        ] {
            let outcome = try Tool.run("openssl", arguments)
            guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
        }
        return try Tool.run(
            "openssl",
            ["verify", "-purpose", "sslserver", "-CAfile", authority + "/ca.pem", path + "/leaf"])
    }
}
