import Foundation
@testable import proxyctl
import ProxydTestSupport
import Testing

@Suite struct TrustInstallerTests {
    private func file(_ system: SampleSystem) -> String {
        system.root + "/usr/local/share/ca-certificates/\(system.authority.nickname).crt"
    }

    @Test
    func `as root, ca install adds the CA to the trust store and ca uninstall removes it`()
        throws
    {
        let system = try SampleSystem()
        let runner = FakeRunner(["update-ca-certificates": { _ in FakeRunner.says("1 added") }])
        let inquiry = system.inquiry(runner, userID: 0)
        let installed = TrustInstaller(inquiry: inquiry, action: .install).run()
        #expect(installed.map(\.isDone) == [true])
        #expect(try String(contentsOfFile: file(system), encoding: .utf8) == system.pem)
        let attributes = try FileManager.default.attributesOfItem(atPath: file(system))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
        let removed = TrustInstaller(inquiry: inquiry, action: .uninstall).run()
        #expect(removed.map(\.isDone) == [true])
        #expect(!FileManager.default.fileExists(atPath: file(system)))
        #expect(
            runner.seen == [
                ["update-ca-certificates"], ["update-ca-certificates", "--fresh"],
            ])
    }

    @Test
    func `without root, proxyctl ca install prints the sudo command to run and changes nothing`()
        throws
    {
        let system = try SampleSystem()
        let runner = FakeRunner(["update-ca-certificates": { _ in FakeRunner.says("") }])
        let steps = TrustInstaller(inquiry: system.inquiry(runner), action: .install).run()
        #expect(steps.map(\.isDone) == [false])
        #expect(steps[0].message.contains("sudo "))
        #expect(steps[0].message.contains("--data-dir \(system.scratch.path)/data ca install"))
        #expect(!FileManager.default.fileExists(atPath: file(system)))
        #expect(runner.seen.isEmpty)
    }

    @Test func `proxyctl ca install reports the error message of update-ca-certificates`() throws {
        let system = try SampleSystem()
        let runner = FakeRunner(["update-ca-certificates": { _ in FakeRunner.fails("no room\n") }])
        let steps = TrustInstaller(
            inquiry: system.inquiry(runner, userID: 0), action: .install
        ).run()
        #expect(steps.map(\.isDone) == [false])
        #expect(steps[0].message.contains("no room"))
    }

    @Test func `proxyctl ca uninstall succeeds even if the CA was never installed`() throws {
        let system = try SampleSystem()
        let steps = TrustInstaller(inquiry: system.inquiry(), action: .uninstall).run()
        #expect(steps.map(\.isDone) == [true])
    }

    @Test func `proxyctl ca install creates an NSS database for Chromium if there is none`() throws
    {
        let system = try SampleSystem()
        let runner = FakeRunner([
            "chromium": { _ in nil },
            "certutil": { $0.first == "-L" ? FakeRunner.says("") : FakeRunner.says("ok") },
        ])
        _ = TrustInstaller(inquiry: system.inquiry(runner), action: .install).run()
        let path = "sql:\(system.home)/.pki/nssdb"
        #expect(runner.seen.contains(["certutil", "-N", "-d", path, "--empty-password"]))
        #expect(
            runner.seen.contains([
                "certutil", "-A", "-d", path, "-n", system.authority.nickname, "-t", "C,,",
                "-i", system.authority.certificatePath,
            ]))
    }
}
