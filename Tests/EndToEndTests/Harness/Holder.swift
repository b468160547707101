import Foundation
import ProxydTestSupport
import Testing

/// An interface that takes holds: `proxyctl hold wait --follow`.
final class Holder {
    private let daemon: Daemon
    private let service: Service

    init(_ daemon: Daemon) throws {
        self.daemon = daemon
        service = try Service(
            try Tool.built("proxyctl"),
            ["--data-dir", daemon.directory, "hold", "wait", "--follow"])
        try service.waitForLog("waiting for held messages")
    }

    /// What is held next.
    func next() throws -> Row { try Row(json: try service.readLine()) }

    /// Stops taking holds.
    func leave() {
        service.signal(SIGTERM)
        _ = service.waitForExit()
    }
}

/// A request of curl that may be held.
final class Fetch {
    private let service: Service
    private let output: ScratchFolder

    init(_ daemon: Daemon, _ arguments: String...) throws {
        output = try ScratchFolder()
        guard let curl = Tool.find("curl") else {
            throw Tool.Failure(description: "curl is not installed")
        }
        service = try Service(
            curl,
            [
                "-sS", "-i", "--max-time", "60", "-x", daemon.url, "--cacert",
                daemon.certificatePath, "-o", output.path + "/response",
            ] + arguments)
    }

    /// Leaves before there is an answer.
    func leave() {
        service.signal(SIGKILL)
        _ = service.waitForExit()
    }

    /// Waits for its end: curl's exit status, and the response.
    func finish() -> (status: Int32, text: String) {
        let status = service.waitForExit()
        let data = FileManager.default.contents(atPath: output.path + "/response") ?? Data()
        return (status, String(decoding: data, as: UTF8.self))
    }
}
