import Foundation

/// A program that runs beside a test and is ended with it.
final class Service {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var pending = Data()
    let errorsPath: String
    private let scratch: TemporaryDirectory

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        scratch = try TemporaryDirectory()
        errorsPath = scratch.path + "/stderr"
        FileManager.default.createFile(atPath: errorsPath, contents: nil)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = Tool.cleanEnvironment(adding: environment)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errorsPath)
        try process.runWithSignals()
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    var pid: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var errors: String { (try? String(contentsOfFile: errorsPath, encoding: .utf8)) ?? "" }

    /// The next line that the program prints; throws where it ends instead.
    func readLine() throws -> String {
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                defer { pending = Data(pending[(end + 1)...]) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Tool.Failure(description: "the program ended early: \(errors)")
            }
            pending.append(more)
        }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the program's end and returns its exit status.
    func waitForExit() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
