import Foundation
import ProxydTestSupport

/// A program that runs beside a test and is ended with it.
final class Service {
    /// A program that works says what is waited for, and ends, far sooner, in seconds.
    private static let patience = 120.0

    private let process: ChildProcess
    private let input = Pipe()
    private let output = Pipe()
    private var pending = Data()
    let errorsPath: String
    private let scratch: ScratchFolder

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        scratch = try ScratchFolder()
        errorsPath = scratch.path + "/stderr"
        _ = FileManager.default.createFile(atPath: errorsPath, contents: nil)
        let errors = try FileHandle(forWritingTo: URL(fileURLWithPath: errorsPath))
        process = try ChildProcess(
            program, arguments, environment: Tool.cleanEnvironment(adding: environment),
            streams: ChildProcess.Streams(
                input: input.fileHandleForReading.fileDescriptor,
                output: output.fileHandleForWriting.fileDescriptor, errors: errors.fileDescriptor))
        // The end of the program is then the end of what can be read.
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
    }

    var pid: Int32 { process.pid }
    var isRunning: Bool { process.isRunning }
    var errors: String { (try? String(contentsOfFile: errorsPath, encoding: .utf8)) ?? "" }

    /// The next line that the program prints; throws where it ends instead.
    func readLine() throws -> String {
        guard let line = try line(within: Service.patience) else {
            throw Tool.Failure(description: "the program says nothing: \(errors)")
        }
        return line
    }

    /// A line that the program has already printed; nil where there is none.
    func lineIfAny() throws -> String? { try line(within: 0) }

    /// The next line; nil where nothing comes for that many seconds.
    private func line(within seconds: Double) throws -> String? {
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                defer { pending = Data(pending[(end + 1)...]) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            var watched = pollfd(
                fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, Int32(seconds * 1_000)) > 0 else { return nil }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Tool.Failure(description: "the program ended early: \(errors)")
            }
            pending.append(more)
        }
    }

    /// Waits until it has written a text to standard error; throws if it ends without.
    func waitForLog(_ text: String) throws {
        try Eventually.isTrue(orFail: "no “\(text)” in the log: \(errors)") {
            // Asked first: what it writes before its end counts.
            let isOver = !isRunning
            if errors.contains(text) { return true }
            guard !isOver else {
                throw Tool.Failure(description: "it ended before “\(text)”: \(errors)")
            }
            return false
        }
    }

    /// Says something on its standard input.
    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Nothing more comes on its standard input.
    func endInput() throws { try input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { process.signal(number) }

    /// Waits for the program's end and returns its exit status, or the number of the signal that
    /// ended it; -1 where it had to be killed.
    func waitForExit() -> Int32 {
        (try? process.wait(seconds: Service.patience)) ?? -1
    }
}

/// Ports for programs that cannot choose one themselves: others may take them in between.
enum FreePort {
    static func find() throws -> Int {
        let script = """
            import socket
            print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])
            """
        let printed = try Tool.run("/usr/bin/python3", ["-c", script]).text
        return Int(printed.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}
