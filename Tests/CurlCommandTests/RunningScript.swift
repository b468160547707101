import Foundation

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
