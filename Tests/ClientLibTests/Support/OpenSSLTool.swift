import Foundation

/// The `openssl` program, to make what the library does not make.
enum OpenSSLTool {
    static let path: String? = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Runs it in a directory; throws where it does not end well.
    static func run(_ arguments: String, in directory: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runWithSignals()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableNotLoadable) }
    }
}
