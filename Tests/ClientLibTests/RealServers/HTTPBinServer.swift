import Foundation
import ProxydTestSupport

/// The httpbin package under gunicorn, on loopback: one for all tests.
final class HTTPBinServer: Sendable {
    /// `http://127.0.0.1:PORT`
    let url: String
    private let process: ServerProcess

    /// Started once; making the environment may take a minute.
    private static let starting = Task {
        do {
            return try await OwnThread.run { try HTTPBinServer() }
        } catch {
            print("httpbin could not be had, its tests are skipped: \(error)")
            throw error
        }
    }

    /// The server.
    static func shared() async throws -> HTTPBinServer { try await starting.value }

    /// Whether it could be had.
    static func isThere() async -> Bool { (try? await shared()) != nil }

    private init() throws {
        let python = try HTTPBinEnvironment.python()
        let scratch = try ScratchFolder()
        process = try ServerProcess(
            python,
            [
                "-m", "gunicorn", "--bind", "127.0.0.1:0", "--preload", "--workers", "1",
                "--worker-class", "gthread", "--threads", "32", "--keep-alive", "600",
                "--graceful-timeout", "1", "httpbin:app",
            ], in: scratch, environment: ["HOME": scratch.url.path])
        let process = process
        guard process.waitUntil({ HTTPBinServer.address(in: process.printed) != nil }),
            let address = HTTPBinServer.address(in: process.printed)
        else { throw ServerUnavailable(description: process.printed) }
        url = address
    }

    /// `http://127.0.0.1:41785` of `Listening at: http://127.0.0.1:41785 (7861)`.
    private static func address(in log: String) -> String? {
        guard let start = log.range(of: "Listening at: "),
            let end = log.range(of: " (", range: start.upperBound..<log.endIndex)
        else { return nil }
        return String(log[start.upperBound..<end.lowerBound])
    }
}
