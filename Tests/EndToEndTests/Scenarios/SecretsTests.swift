import Foundation
import ProxydTestSupport
import Testing

/// What the daemon knows does not get out by its files and its log.
struct SecretsTests {
    @Test func `the CA's private key is in its own file and in no other file or log`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        #expect(try proxy.curl(origin.url("/")).status == 0)
        _ = try proxy.row()
        try #require(proxy.stop() == 0)
        let pem = try String(contentsOfFile: proxy.directory + "/ca/ca-key.pem", encoding: .utf8)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let text = Data(try #require(lines.first).utf8)
        let bytes = try #require(Data(base64Encoded: lines.joined())).suffix(32)
        for name in try FileManager.default.subpathsOfDirectory(atPath: proxy.directory)
        where name != "ca/ca-key.pem" {
            let path = proxy.directory + "/" + name
            guard let content = FileManager.default.contents(atPath: path) else { continue }
            #expect(content.range(of: text) == nil && content.range(of: bytes) == nil, "\(name)")
        }
        #expect(!proxy.service.errors.contains(String(decoding: text, as: UTF8.self)))
    }

    @Test(.enabled(if: OrdinaryUser.isAvailable, "the programs are not where all can run them"))
    func `proxyd leaves no core dump, and processes of the same user cannot read its memory`()
        throws
    {
        let data = try ScratchFolder()
        try OrdinaryUser.own(data.path)
        let origin = try Origin()
        let proxy = try Daemon(data: data, launcher: OrdinaryUser.launcher)
        let folder = "/proc/\(proxy.service.pid)"
        let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
        #expect(limits.contains(#/Max core file size +0 +0 /#), "\(limits)")
        // What may not be dumped belongs to root in proc(5), whoever runs it.
        let owner = try Tool.run("stat", ["-c", "%u", folder + "/mem", folder + "/environ"])
        #expect(owner.text == "0\n0\n")
        // It can do all that it could.
        #expect(try proxy.curl("-d", "a=1", origin.url("/")).status == 0)
        #expect(try proxy.row().int("status") == 200)
        #expect(try (proxy.status().int("resident_bytes") ?? 0) > 1 << 20)
        #expect(proxy.stop() == 0)
    }

    @Test func `proxyd ignores SSLKEYLOGFILE and writes no TLS keys`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let scratch = try ScratchFolder()
        let keys = scratch.path + "/keys"
        let proxy = try Daemon(
            trusting: certificate, launcher: ["/usr/bin/env", "SSLKEYLOGFILE=\(keys)"])
        #expect(try proxy.curl(origin.url("/")).status == 0)
        _ = try proxy.row()
        #expect(!FileManager.default.fileExists(atPath: keys))
    }

    @Test
    func `hostile text in the configuration cannot forge log lines or print control characters`()
        throws
    {
        let scratch = try ScratchFolder()
        let file = scratch.path + "/proxyd.toml"
        try #"""
        "a\nproxyd: forged\u001b]0;title\u0007\u009b31m" = 1
        """#.write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Tool.run(
            try Tool.built("proxyd"),
            ["--listen", "127.0.0.1:0", "--data-dir", scratch.path + "/data", "--config", file])
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("forged"))
        let lines = outcome.errors.split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("proxyd: forged") }, "\(outcome.errors)")
        let controls = outcome.errors.unicodeScalars.filter {
            $0.properties.generalCategory == .control && $0 != "\n"
        }
        #expect(controls.isEmpty, "\(outcome.errors)")
    }
}

/// Another user than root: the one who runs the tests, or no one.
private enum OrdinaryUser {
    private static let isRoot = geteuid() == 0
    private static let nobody: uid_t = 65_534

    /// A command that becomes another one of that user.
    static let launcher =
        isRoot
        ? [
            "/usr/bin/env", "setpriv", "--reuid=\(nobody)", "--regid=\(nobody)",
            "--clear-groups",
        ] : []

    static let isAvailable: Bool = {
        guard let first = launcher.first, let program = try? Tool.built("proxyd") else {
            return !isRoot
        }
        let arguments = launcher.dropFirst() + [program, "--version"]
        return (try? Tool.run(first, Array(arguments)))?.status == 0
    }()

    static func own(_ folder: String) throws {
        guard isRoot else { return }
        try Tool.run("chown", ["\(nobody):\(nobody)", folder])
    }
}
