import Capture
import Foundation
import ProxydTLS
import ProxydTestSupport
import Testing

@testable import proxyctl

@Suite struct TrustStoreTests {
    @Test
    func `the system's CA bundle decides whether the system store, curl and git trust the CA`()
        throws
    {
        let system = try SampleSystem()
        let runner = FakeRunner([
            "curl": { _ in nil }, "git": { _ in FakeRunner.fails("") },
        ])
        let stores: [any proxyctl.TrustStore] = [
            SystemTrustStore(), CurlTrustStore(), GitTrustStore(),
        ]
        for trusts in [false, true] {
            try system.writeBundle(trusts: trusts)
            for store in stores {
                let finding = try #require(store.check(system.inquiry(runner)).first)
                #expect(finding.location == system.bundle)
                #expect(finding.verdict == (trusts ? .trusts : .doesNotTrust))
                #expect((finding.remedy == nil) == trusts)
                if !trusts { #expect(finding.remedy?.contains("ca install") == true) }
            }
        }
    }

    @Test func `proxyctl ca doctor does not report programs that are not installed`() throws {
        let system = try SampleSystem()
        #expect(TrustDoctor.examine(system.inquiry()).isEmpty)
    }

    @Test
    func `proxyctl ca doctor makes OpenSSL verify with its certificate directory, not the bundle`()
        throws
    {
        let system = try SampleSystem()
        try system.writeBundle(trusts: true)
        let runner = FakeRunner(["openssl": { _ in FakeRunner.fails("error 18") }])
        let findings = SystemTrustStore().check(system.inquiry(runner))
        #expect(findings.map(\.verdict) == [.trusts, .doesNotTrust])
        #expect(
            runner.seen == [
                [
                    "openssl", "verify", "-no-CAfile", "-CApath", system.root + "/etc/ssl/certs",
                    system.authority.certificatePath,
                ]
            ])
    }

    @Test func `for curl, a CA file in curlrc takes precedence over CURL_CA_BUNDLE`() throws {
        let system = try SampleSystem()
        try system.writeBundle(trusts: false)
        let mine = try system.scratch.write("mine.pem", system.pem)
        let other = try system.scratch.write("other.pem", system.otherPEM)
        let runner = FakeRunner(["curl": { _ in nil }])
        let variables = ["CURL_CA_BUNDLE": mine]
        let first = try #require(CurlTrustStore().check(system.inquiry(runner, variables)).first)
        #expect(first.verdict == .trusts)
        #expect(first.location == mine)
        try system.scratch.write("home/.curlrc", "# mine\nsilent\ncacert = \"\(other)\"\n")
        let second = try #require(CurlTrustStore().check(system.inquiry(runner, variables)).first)
        #expect(second.verdict == .doesNotTrust)
        #expect(second.location == other)
        #expect(second.remedy?.contains("export CURL_CA_BUNDLE=") == true)
    }

    @Test func `git's trust in the CA is unknown if its sslCAInfo setting names a missing file`()
        throws
    {
        let system = try SampleSystem()
        try system.writeBundle(trusts: true)
        let runner = FakeRunner(["git": { _ in FakeRunner.says("/nowhere/ca.pem\n") }])
        let finding = try #require(GitTrustStore().check(system.inquiry(runner)).first)
        #expect(finding.verdict == .unknown("the file cannot be read"))
        #expect(
            finding.remedy == "git config --global http.sslCAInfo "
                + "/etc/ssl/certs/ca-certificates.crt")
    }

    @Test func `proxyctl ca doctor checks the CA files of Python's ssl and requests separately`()
        throws
    {
        let system = try SampleSystem()
        try system.writeBundle(trusts: true)
        let certifi = try system.scratch.write("certifi.pem", system.otherPEM)
        let (bundle, answer) = (system.bundle, "certifi \(certifi)\n")
        let runner = FakeRunner([
            "python3": { _ in FakeRunner.says("file \(bundle)\ndirectory \n" + answer) }
        ])
        let findings = PythonTrustStore().check(system.inquiry(runner))
        #expect(findings.map(\.program) == ["Python ssl", "Python requests"])
        #expect(findings.map(\.verdict) == [.trusts, .doesNotTrust])
        #expect(
            findings[1].remedy
                == "export REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt")
        try system.writeBundle(trusts: false)
        #expect(
            PythonTrustStore().check(system.inquiry(runner)).map(\.remedy) == [
                system.inquiry().systemRemedy,
                "\(system.inquiry().systemRemedy) && "
                    + "export REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt",
            ])
        try system.writeBundle(trusts: true)
        let set = PythonTrustStore().check(
            system.inquiry(runner, ["REQUESTS_CA_BUNDLE": system.bundle]))
        #expect(set.map(\.verdict) == [.trusts, .trusts])
    }

    @Test
    func `a CA file in Python's certificate directory is used only if its file name is a hash`()
        throws
    {
        let system = try SampleSystem()
        let directory = system.scratch.path + "/hashed"
        let runner = FakeRunner([
            "python3": { _ in FakeRunner.says("file \ndirectory \(directory)\n") }
        ])
        try system.scratch.write("hashed/mine.pem", system.pem)
        #expect(PythonTrustStore().check(system.inquiry(runner)).map(\.verdict) == [.doesNotTrust])
        try system.scratch.write("hashed/0a1b2c3d.0", system.pem)
        #expect(PythonTrustStore().check(system.inquiry(runner)).map(\.verdict) == [.trusts])
    }

    @Test
    func `Node trusts a CA from its own list, NODE_EXTRA_CA_CERTS or, if in use, OpenSSL's store`()
        throws
    {
        let system = try SampleSystem()
        try system.writeBundle(trusts: true)
        let mine = try system.scratch.write("mine.pem", system.pem)
        func verdict(_ output: String, _ variables: [String: String] = [:]) throws
            -> TrustFinding.Verdict?
        {
            let runner = FakeRunner(["node": { _ in FakeRunner.says(output) }])
            return NodeTrustStore().check(system.inquiry(runner, variables)).first?.verdict
        }
        #expect(try verdict("store bundled\n") == .doesNotTrust)
        #expect(try verdict("store openssl\n") == .trusts)
        #expect(try verdict("store bundled\n", ["NODE_EXTRA_CA_CERTS": mine]) == .trusts)
        #expect(try verdict(system.otherPEM) == .doesNotTrust)
        #expect(try verdict(system.otherPEM + system.pem) == .trusts)
    }

    @Test func `proxyctl ca doctor checks the key store of each Java once, despite symbolic links`()
        throws
    {
        let system = try SampleSystem()
        try system.scratch.write("root/usr/lib/jvm/java-17/lib/security/cacerts", "keys")
        try FileManager.default.createSymbolicLink(
            atPath: system.root + "/usr/lib/jvm/default-java", withDestinationPath: "java-17")
        for (pem, verdict) in [
            (system.pem, TrustFinding.Verdict.trusts),
            (system.otherPEM, .doesNotTrust),
        ] {
            let runner = FakeRunner(["keytool": { _ in FakeRunner.says("Alias\n" + pem) }])
            let findings = JavaTrustStore().check(system.inquiry(runner))
            #expect(findings.map(\.verdict) == [verdict])
            #expect(runner.seen.count == 1)
        }
        #expect(
            JavaTrustStore().check(system.inquiry()).map(\.verdict)
                == [.unknown("keytool is not installed")])
    }

    @Test func `arguments with special characters are quoted in printed shell commands`() {
        #expect(
            ShellQuoting.join(["a", "b c", "it's", "$x", ""])
                == #"a 'b c' 'it'\''s' '$x' ''"#)
    }

    @Test func `certificates are found in a PEM file among comments, CRLs and truncated blocks`()
        throws
    {
        let system = try SampleSystem()
        let text =
            "# comment\r\n" + system.otherPEM.replacing("\n", with: "\r\n")
            + "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n" + system.pem
            + "-----BEGIN CERTIFICATE-----\nAAAA"
        let found = PEMBundle.certificates(in: Array(text.utf8))
        #expect(found.count == 2)
        #expect(found.last == system.authority.certificate.der)
    }
}

/// A system that exists only below a scratch directory: a home, `/etc`, an authority, and the
/// programs a test brings.
final class SampleSystem {
    let scratch: ScratchFolder
    let authority: AuthorityAccess
    let otherPEM: String

    init() throws {
        scratch = try ScratchFolder()
        let data = try SampleSystem.makeAuthority(scratch.path + "/data")
        authority = try AuthorityAccess(data)
        let other = try SampleSystem.makeAuthority(scratch.path + "/other")
        otherPEM = String(decoding: try AuthorityAccess(other).certificate.pem, as: UTF8.self)
    }

    private static func makeAuthority(_ path: String) throws -> DataDirectory {
        let directory = DataDirectory(path: path)
        try directory.prepare()
        _ = try CertificateAuthority.loadOrCreate(in: path)
        return directory
    }

    var pem: String { String(decoding: authority.certificate.pem, as: UTF8.self) }
    var root: String { scratch.path + "/root" }
    var home: String { scratch.path + "/home" }
    var bundle: String { root + "/etc/ssl/certs/ca-certificates.crt" }

    /// Gives the system a bundle, with our certificate in it or not.
    func writeBundle(trusts: Bool) throws {
        try scratch.write(
            "root/etc/ssl/certs/ca-certificates.crt", trusts ? otherPEM + pem : otherPEM)
    }

    func inquiry(
        _ runner: any ProgramRunner = FakeRunner(), _ environment: [String: String] = [:],
        userID: UInt32 = 1_000
    ) -> TrustInquiry {
        var environment = environment
        environment["HOME"] = home
        var around = Environment(
            variables: environment, output: MemorySink(), errors: MemorySink(),
            isTerminal: false, columnCount: nil, rowCount: nil, userID: userID, runner: runner)
        around.systemRoot = root
        return authority.inquiry(around)
    }
}
