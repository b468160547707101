import Foundation
import Testing

/// What the daemon knows does not get out by its files and its log.
struct SecretsTests {
    @Test func `the authority's key is in its own file and nowhere else`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        #expect(try proxy.curl(origin.url("/")).status == 0)
        _ = try proxy.row()
        try #require(proxy.stop() == 0)
        let pem = try String(contentsOfFile: proxy.directory + "/ca/ca-key.pem", encoding: .utf8)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let text = Data(try #require(lines.first).utf8)
        let octets = try #require(Data(base64Encoded: lines.joined())).suffix(32)
        for name in try FileManager.default.subpathsOfDirectory(atPath: proxy.directory)
        where name != "ca/ca-key.pem" {
            let path = proxy.directory + "/" + name
            guard let content = FileManager.default.contents(atPath: path) else { continue }
            #expect(content.range(of: text) == nil && content.range(of: octets) == nil, "\(name)")
        }
        #expect(!proxy.service.errors.contains(String(decoding: text, as: UTF8.self)))
    }

    @Test func `SSLKEYLOGFILE makes the daemon write no keys`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let scratch = try TemporaryDirectory()
        let keys = scratch.path + "/keys"
        let proxy = try Daemon(
            trusting: certificate, launcher: ["/usr/bin/env", "SSLKEYLOGFILE=\(keys)"])
        #expect(try proxy.curl(origin.url("/")).status == 0)
        _ = try proxy.row()
        #expect(!FileManager.default.fileExists(atPath: keys))
    }

    @Test func `hostile text forges no line of the log and steers no terminal`() throws {
        let scratch = try TemporaryDirectory()
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
