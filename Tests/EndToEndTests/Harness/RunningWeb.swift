import Foundation
import ProxydTestSupport
import Testing

/// A running `proxyctl web`.
struct RunningWeb {
    let service: Service
    let port: Int
    let token: String

    /// Serves what the arguments name.
    init(_ arguments: [String]) throws {
        service = try Service(try Tool.built("proxyctl"), ["web", "--no-open"] + arguments)
        let line = try service.readLine()
        let parts = line.split(separator: "#token=")
        let port = parts[0].split(separator: ":").last?.dropLast()
        try #require(line.hasPrefix("proxyctl: http://127.0.0.1:") && parts.count == 2)
        self.port = try #require(port.flatMap { Int($0) })
        token = String(parts[1])
    }

    /// Serves a data directory.
    init(on directory: String, _ arguments: [String] = []) throws {
        try self.init(["--data-dir", directory] + arguments)
    }

    func curl(_ path: String, _ arguments: [String] = []) throws -> String {
        try Tool.run(
            "curl",
            [
                "-sS", "--max-time", "60", "-H", "Authorization: Bearer \(token)",
                "http://127.0.0.1:\(port)\(path)",
            ] + arguments
        ).text
    }
}
