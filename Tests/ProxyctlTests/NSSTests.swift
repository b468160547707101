import Foundation
@testable import proxyctl
import ProxydTestSupport
import Testing

@Suite struct NSSTests {
    static let certutil = SystemProgramRunner().find("certutil")

    @Test
    func `the NSS databases of Chromium and Firefox are found in all of their usual directories`()
        throws
    {
        let scratch = try ScratchFolder()
        let places = [
            ".pki/nssdb", "snap/chromium/current/.pki/nssdb", ".mozilla/firefox/abc.default",
            ".mozilla/firefox/def.other", "snap/firefox/common/.mozilla/firefox/x.snap",
            ".var/app/org.mozilla.firefox/.mozilla/firefox/y.flat",
        ]
        for place in places { try scratch.write("\(place)/cert9.db", "") }
        try scratch.write(".mozilla/firefox/Crash Reports/events", "")
        let found = NSSDatabase.all(home: scratch.path)
        #expect(Set(found.map(\.path)) == Set(places.map { "\(scratch.path)/\($0)" }))
        #expect(found.contains { $0.program == "Firefox default" })
    }

    @Test func `trust in a certificate is read from the last column of certutil's list`() {
        let listing = """

            Certificate Nickname                    Trust Attributes
                                                    SSL,S/MIME,JAR/XPI

            proxyd-1a2b3c4d                         C,,  \u{20}
            My Bank (2020) CA                       CT,C,C
            a server                                P,,
            just known                              ,,
            """
        let entries = NSSDatabase.parseListing(listing)
        #expect(
            entries.map(\.nickname)
                == ["proxyd-1a2b3c4d", "My Bank (2020) CA", "a server", "just known"])
        #expect(entries.map(\.isTrusted) == [true, true, false, false])
    }

    @Test
    func `without certutil, an NSS database's trust is unknown and the remedy installs certutil`()
        throws
    {
        let system = try SampleSystem()
        try system.scratch.write("home/.pki/nssdb/cert9.db", "")
        let finding = try #require(NSSTrustStore().check(system.inquiry()).first)
        #expect(finding.verdict == .unknown("certutil is not installed"))
        #expect(
            finding.remedy?.hasPrefix("sudo apt-get install libnss3-tools && certutil -A") == true)
    }

    @Test(.enabled(if: certutil != nil, "certutil is not installed"))
    func `an NSS database trusts the CA after ca install and no longer after ca uninstall`() throws
    {
        let system = try SampleSystem()
        let certutil = try #require(Self.certutil)
        let path = system.home + "/.pki/nssdb"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        let runner = SystemProgramRunner()
        let made = runner.run(certutil, ["-N", "-d", "sql:\(path)", "--empty-password"])
        #expect(made?.exitCode == 0)
        let inquiry = system.inquiry(runner)
        let database = NSSDatabase(program: "Chromium", path: path)
        #expect(database.verdict(inquiry, certutil: certutil) == .doesNotTrust)
        for _ in 1...2 {
            let steps = TrustInstaller(inquiry: inquiry, action: .install).run()
            #expect(steps.last?.isDone == true)
            #expect(database.verdict(inquiry, certutil: certutil) == .trusts)
        }
        let steps = TrustInstaller(inquiry: inquiry, action: .uninstall).run()
        #expect(steps.last?.isDone == true)
        #expect(database.verdict(inquiry, certutil: certutil) == .doesNotTrust)
    }
}
