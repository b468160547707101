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

/// A Python environment with httpbin in it, made once and kept with what was built.
enum HTTPBinEnvironment {
    private static let packages = ["httpbin==0.10.4", "gunicorn>=23"]
    private static let name = "httpbin-0.10.4"
    /// A package index that does not answer must not hold up the tests.
    private static let installationSecondsMax = 120

    /// The environment's Python.
    static func python() throws -> String {
        let kept = try buildDirectory().appending(path: name)
        let python = kept.appending(path: "bin/python").path
        if FileManager.default.isExecutableFile(atPath: python) { return python }
        // Made elsewhere and moved: what is there is complete.
        let made = try buildDirectory().appending(path: "\(name)-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: made) }
        try run("/usr/bin/env", ["python3", "-m", "venv", made.path])
        try run(
            made.appending(path: "bin/python").path,
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"] + packages)
        try? FileManager.default.moveItem(at: made, to: kept)
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw ServerUnavailable(description: "\(kept.path) could not be made")
        }
        return python
    }

    /// The folder that SwiftPM builds in.
    private static func buildDirectory() throws -> URL {
        var directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            let mark = directory.appending(path: "workspace-state.json").path
            if FileManager.default.fileExists(atPath: mark) { return directory }
        }
        throw ServerUnavailable(description: "the tests do not run from a build folder")
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = try ServerProcess(program, arguments, in: ScratchFolder())
        guard process.endsWell(limitSeconds: installationSecondsMax) else {
            let command = arguments.joined(separator: " ")
            throw ServerUnavailable(description: "\(command): \(process.printed)")
        }
    }
}

/// What httpbin says of the request that it got.
struct HTTPBinEcho: Decodable, Sendable {
    let method: String?
    let url: String?
    let args: [String: String]?
    let headers: [String: String]?
    let form: [String: String]?
    let files: [String: String]?
    let json: [String: String]?
    let data: String?
    let cookies: [String: String]?
}
