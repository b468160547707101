import Foundation
import ProxydTestSupport
import Testing

/// `tls.key_log_file`, which Wireshark reads.
struct KeyLogTests {
    private func configuration(_ path: String) -> String {
        "[tls]\nkey_log_file = \"\(path)\"\n"
    }

    @Test(arguments: ["1.2", "1.3"])
    func `the TLS key log has the keys of both sides of an intercepted connection`(version: String)
        throws
    {
        let (certificate, scratch) = (try TestCertificate(), try ScratchFolder())
        let origin = try Origin(tls: certificate)
        let file = scratch.path + "/keys.log"
        let proxy = try Daemon(trusting: certificate, configuration: configuration(file))
        try proxy.curl("--tlsv\(version)", "--tls-max", version, origin.url("/"))
        _ = try proxy.row()
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
        let label = version == "1.3" ? "CLIENT_TRAFFIC_SECRET_0 " : "CLIENT_RANDOM "
        // With curl, and with the origin, which always has TLS 1.3.
        #expect(lines.contains { $0.hasPrefix(label) })
        let randoms = Set(lines.compactMap { $0.split(separator: " ").dropFirst().first })
        #expect(randoms.count == 2)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(proxy.service.errors.contains("are written to \(file)"))
    }

    @Test
    func `a TLS key log file is rejected if it is a symbolic link or readable by other users`()
        throws
    {
        let scratch = try ScratchFolder()
        let file = try scratch.write("keys.log", "")
        chmod(file, 0o644)
        let link = scratch.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        for (path, reason) in [(file, "accessible to other users"), (link, "cannot write")] {
            let written = try scratch.write("proxyd.toml", configuration(path))
            let outcome = try Tool.run(
                Tool.built("proxyd"),
                [
                    "--config", written, "--listen", "127.0.0.1:0", "--data-dir",
                    scratch.path + "/d",
                ],
                seconds: 60)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("tls.key_log_file: "), "\(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8).isEmpty)
    }
}
