import Foundation
import ProxydTestSupport

/// The scripted proxy that a daemon goes through; see Servers/upstream.py.
final class UpstreamServer {
    let port: Int
    private let service: Service

    init(_ options: String...) throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/upstream.py").path
        service = try Service(python, [script] + options)
        guard let port = Int(try service.readLine()) else {
            throw Tool.Failure(description: "the upstream proxy printed no port")
        }
        self.port = port
    }

    /// The next request: what it asks for, scheme of credentials, hop count, PROXY header.
    func request() throws -> String { try service.readLine() }
}

extension Daemon {
    /// A daemon that goes through a proxy; `more` is further text of its table.
    convenience init(
        through url: String, trusting certificate: TestCertificate? = nil, _ more: String = "",
        rules: String? = nil
    ) throws {
        let data = try ScratchFolder()
        let secret = data.path + "/secret"
        try "secret\n".write(toFile: secret, atomically: true, encoding: .utf8)
        chmod(secret, 0o600)
        if let rules {
            try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        }
        try self.init(
            trusting: certificate,
            configuration: """
                [[upstream]]
                name = "corp"
                url = "\(url)"
                \(more.replacing("SECRET", with: secret))
                """, data: data)
    }
}
