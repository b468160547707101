import Foundation
import ProxydDaemonConfiguration
import ProxydEventLoops
import ProxydTestSupport

@testable import proxyd

/// The daemon's own parts in this process, with an actor, which no configuration can give it yet.
final class ActedDaemon {
    let port: Int
    private let data: ScratchFolder
    private let daemon: proxyd.Daemon
    private var isRunning = true

    init(_ actor: HoldingActor) throws {
        data = try ScratchFolder()
        let overrides = ConfigurationOverrides(listen: ["127.0.0.1:0"])
        daemon = try proxyd.Daemon(
            try Configuration.load(file: nil, overrides: overrides),
            in: proxyd.Daemon.Environment(
                variables: [:], configurationFile: nil, overrides: overrides,
                dataDirectory: data.path + "/data"), actor: actor)
        guard let address = try daemon.start().first else {
            throw Tool.Failure(description: "the daemon listens nowhere")
        }
        port = Int(address.port)
    }

    deinit { try? stop() }

    /// Does what SIGTERM does.
    func stop() throws {
        guard isRunning else { return }
        isRunning = false
        try daemon.stop()
    }

    /// curl through it, beside the test; the answer's status and body are its lines.
    func curl(_ arguments: String...) throws -> Service {
        guard let curl = Tool.find("curl") else {
            throw Tool.Failure(description: "curl is not installed")
        }
        return try Service(
            curl,
            ["-sS", "--max-time", "60", "-x", "http://127.0.0.1:\(port)"]
                + ["-w", "\\n%{http_code}\\n"] + arguments)
    }

    /// A client that has sent a GET.
    func get(_ url: String) throws -> RawClient {
        let client = try RawClient(port: port)
        client.send("GET \(url) HTTP/1.1\r\nHost: origin\r\n\r\n")
        return client
    }

    /// Stops, and returns what was recorded, the oldest first.
    func stopped() throws -> [Row] { try rows("list", "--json", "--limit", "1000") }

    /// Stops, and returns the rows of a query of the store.
    func recorded(_ sql: String) throws -> [Row] { try rows("sql", "--json", sql) }

    private func rows(_ command: String...) throws -> [Row] {
        try stop()
        let outcome = try Tool.run(
            try Tool.built("proxyctl"), ["--data-dir", data.path + "/data"] + command)
        return try outcome.text.split(separator: "\n").map { try Row(json: String($0)) }
    }
}
