import Foundation
import Testing

/// A shell of this machine that runs scripts.
enum Shell: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case bash
    case dash

    /// Whether this machine has both, and curl.
    static let areThere = allCases.allSatisfy { $0.path != nil } && curlPath != nil
    static let absence: Comment = "bash, dash or curl is not installed"
    static let curlPath = path(of: "curl")

    var path: String? { Shell.path(of: rawValue) }
    var testDescription: String { rawValue }

    private static func path(of program: String) -> String? {
        ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + program }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts a script, which may be longer than a word of a command line, and gives what it
    /// printed when the returned process has ended.
    func start(_ script: String) throws -> RunningScript {
        try RunningScript(script, shell: path ?? "")
    }

    /// What a script prints.
    func output(of script: String) throws -> [UInt8] { try start(script).finish() }
}

/// A script that a shell is running, without a proxy or a configuration of curl from outside.
struct RunningScript {
    private let process = Process()
    private let output = Pipe()
    private let file: URL

    init(_ script: String, shell: String) throws {
        file = FileManager.default.temporaryDirectory
            .appendingPathComponent("curl-command-\(UUID().uuidString)")
        try Data(script.utf8).write(to: file)
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = [file.path]
        process.environment = ["PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": "/nonexistent"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Waits for the end and gives what was printed.
    func finish() throws -> [UInt8] {
        defer { try? FileManager.default.removeItem(at: file) }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(data)
    }
}
