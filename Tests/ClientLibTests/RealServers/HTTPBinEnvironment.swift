import Foundation
import ProxydTestSupport

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
