import Foundation
import ProxydTestSupport

/// `openssl s_server`, with a certificate made for it; see Servers/certificates.py for what may be
/// wrong with that one. Answers GET with a page of its own.
final class TLSServer {
    /// Whether what it takes is installed.
    static let isAvailable: Bool = {
        guard Tool.find("openssl") != nil else { return false }
        let probe = try? Tool.run("/usr/bin/python3", ["-c", "from cryptography.x509 import ocsp"])
        return probe?.status == 0
    }()

    let port: Int
    private let directory: ScratchFolder
    private let service: Service

    /// `certificate` are options of certificates.py, `options` those of s_server.
    init(certificate: [String] = [], options: [String] = []) throws {
        directory = try ScratchFolder()
        let path = directory.path
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/certificates.py").path
        let made = try Tool.run(
            "/usr/bin/python3", ["-W", "ignore", script, path] + certificate)
        guard made.status == 0 else { throw Tool.Failure(description: made.errors) }
        var arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", path + "/chain.pem",
            "-cert_chain", path + "/chain.pem", "-key", path + "/leaf.key",
        ]
        if FileManager.default.fileExists(atPath: path + "/status.der") {
            arguments += ["-status_file", path + "/status.der"]
        }
        service = try Service(Tool.find("openssl") ?? "", arguments + options)
        while true {
            let line = try service.readLine()
            guard line.hasPrefix("ACCEPT") else { continue }
            port = Int(line.split(separator: ":").last ?? "") ?? 0
            return
        }
    }

    var url: String { "https://localhost:\(port)/" }

    /// A daemon that trusts the root which its certificates should come from.
    func trustingDaemon() throws -> Daemon {
        try Daemon(
            configuration: "[tls]\nextra_ca_files = [\"\(directory.path)/root.pem\"]\n")
    }
}
