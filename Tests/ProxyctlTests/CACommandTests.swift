import Foundation
@testable import proxyctl
import ProxydTLS
import ProxydTestSupport
import Testing

@Suite struct CACommandTests {
    private func run(
        _ system: SampleSystem, _ arguments: String..., runner: any ProgramRunner = FakeRunner()
    ) -> CommandRun {
        CommandRun(
            ["--data-dir", system.scratch.path + "/data", "ca"] + arguments,
            environment: ["HOME": system.home], runner: runner)
    }

    @Test func `proxyctl ca path prints only the absolute path of the CA certificate`() throws {
        let system = try SampleSystem()
        let run = run(system, "path")
        #expect(run.code == 0)
        #expect(run.output == system.scratch.path + "/data/ca/ca.pem\n")
    }

    @Test
    func `proxyctl ca path, export, doctor and install fail with an explanation if there is no CA`()
        throws
    {
        let scratch = try ScratchFolder()
        for arguments in [["path"], ["export", "-"], ["doctor"], ["install"]] {
            let run = CommandRun(["--data-dir", scratch.path, "ca"] + arguments)
            #expect(run.code == 1)
            #expect(run.errors.contains("does not exist yet"))
        }
    }

    @Test func `proxyctl ca export writes PEM, or DER if the output file name ends in .cer`() throws
    {
        let system = try SampleSystem()
        let pem = system.scratch.path + "/out.pem"
        let der = system.scratch.path + "/out.CER"
        #expect(run(system, "export", pem).code == 0)
        #expect(run(system, "export", der).code == 0)
        #expect(try String(contentsOfFile: pem, encoding: .utf8) == system.pem)
        let bytes = try #require(FileManager.default.contents(atPath: der))
        #expect([UInt8](bytes) == system.authority.certificate.der)
        #expect(run(system, "export", "-").output == system.pem)
        let failed = run(system, "export", "/nowhere/x.pem")
        #expect(failed.code == 1)
        #expect(failed.errors.contains("/nowhere/x.pem"))
    }

    @Test
    func `proxyctl ca doctor exits with 0 if the CA is trusted, else with 1 and a remedy`()
        throws
    {
        let system = try SampleSystem()
        let bundle = try system.scratch.write("bundle.pem", system.pem)
        let empty = try system.scratch.write("empty.pem", system.otherPEM)
        func doctor(_ file: String) -> CommandRun {
            let runner = FakeRunner(["python3": { _ in FakeRunner.says("file \(file)\n") }])
            var around = system.inquiry(runner).environment
            let (output, errors) = (MemorySink(), MemorySink())
            (around.output, around.errors) = (output, errors)
            let code = Program.run(
                ["--data-dir", system.scratch.path + "/data", "ca", "doctor"], around)
            return CommandRun(code: code, bytes: output.all, errors: errors.text)
        }
        let trusting = doctor(bundle)
        #expect(trusting.code == 0)
        #expect(trusting.output.contains("trusts"))
        #expect(!trusting.output.contains("what to do"))
        let other = doctor(empty)
        #expect(other.code == 1)
        #expect(other.output.contains("does not trust"))
        #expect(other.output.contains("export SSL_CERT_FILE="))
        #expect(other.errors.isEmpty)
    }
}
