import Foundation

/// The programs that bring a fault about and watch what it does; see Drivers/.
enum FaultDriver {
    static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Drivers/\(name).py").path
    }

    /// Runs one to its end against a daemon; it prints one JSON object. It is ended, and the test
    /// with it, when it takes longer than `seconds`. `entering` is a command that brings a program
    /// to where the daemon is.
    static func run(
        _ name: String, against proxy: Daemon, _ arguments: [String] = [], seconds: Int = 120,
        tls certificate: TestCertificate? = nil, entering: [String] = []
    ) throws -> Row {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        var all =
            ["-k", "5", String(seconds)] + entering + [
                python, "-B", script(name), "--proxy", String(proxy.port),
                "--pid", String(proxy.service.pid), "--ca", proxy.certificatePath,
                "--data", proxy.directory,
            ]
        if let certificate { all += ["--tls", certificate.certificatePath, certificate.keyPath] }
        let outcome = try Tool.run("timeout", all + arguments, seconds: Double(seconds) + 30)
        guard outcome.status == 0 else {
            throw Tool.Failure(
                description: "\(name) ended with \(outcome.status): \(outcome.errors.suffix(4_000))"
                    + " daemon: \(proxy.service.errors.suffix(2_000))")
        }
        return try Row(json: outcome.text)
    }
}
