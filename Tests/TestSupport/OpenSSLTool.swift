import Foundation

/// The `openssl` program: a judge from outside, and a maker of what we do not make.
public enum OpenSSLTool {
    /// Where it is; nil where it is not installed.
    public static let path: String? = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// It did not end well.
    public struct Failure: Error, CustomStringConvertible {
        /// What it said.
        public let description: String
    }

    /// What it prints, and whether it ended well.
    public static func run(
        _ arguments: [String], in directory: String? = nil
    ) throws -> (output: String, isGood: Bool) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.runWithSignals()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus == 0)
    }

    /// Runs it in a directory, with arguments separated by spaces.
    public static func run(_ arguments: String, in directory: String) throws {
        let (output, isGood) = try run(
            arguments.split(separator: " ").map(String.init), in: directory)
        guard isGood else { throw Failure(description: output) }
    }
}
