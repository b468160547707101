import Foundation
import ProxydTestSupport

/// The scripted HTTP server that requests are sent to; see Servers/origin.py.
final class Origin: @unchecked Sendable {
    // Proof: nothing in it changes after init.
    let port: Int
    let scheme: String
    private let service: Service

    init(tls: TestCertificate? = nil, root: String? = nil) throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/origin.py").path
        var arguments = [script]
        if let tls { arguments += ["--tls", tls.certificatePath, tls.keyPath] }
        if let root { arguments += ["--root", root] }
        scheme = tls == nil ? "http" : "https"
        service = try Service(python, arguments)
        guard let port = Int(try service.readLine()) else {
            throw Tool.Failure(description: "the origin printed no port")
        }
        self.port = port
    }

    var authority: String { "\(scheme == "https" ? "localhost" : "127.0.0.1"):\(port)" }

    func url(_ path: String) -> String { "\(scheme)://\(authority)\(path)" }
}

/// A self-signed certificate for localhost, made with the openssl program.
final class TestCertificate {
    private let directory: ScratchFolder
    var certificatePath: String { directory.path + "/cert.pem" }
    var keyPath: String { directory.path + "/key.pem" }

    init(
        names: String = "DNS:localhost,IP:127.0.0.1", extra: [String] = ["-days", "30"]
    ) throws {
        directory = try ScratchFolder()
        let outcome = try Tool.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", directory.path + "/key.pem", "-out", directory.path + "/cert.pem",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)",
            ] + extra)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
    }
}
