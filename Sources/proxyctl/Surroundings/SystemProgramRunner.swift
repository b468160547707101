internal import Foundation
internal import Synchronization

/// Runs programs of this system, each for half a minute at most.
struct SystemProgramRunner: ProgramRunner {
    private static let secondsMax = 30

    func find(_ name: String) -> String? {
        // sbin holds update-ca-certificates and is not on every user's path.
        let search = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        for directory in search.split(separator: ":") {
            let path = "\(directory)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
    }

    func run(
        _ path: String, _ arguments: [String], environment: [String: String]?
    ) -> ProgramResult? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let environment { process.environment = environment }
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        let (outputText, errorText) = (PipeReader(output), PipeReader(errors))
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        guard (try? process.run()) != nil else { return nil }
        outputText.start()
        errorText.start()
        let deadline = DispatchTime.now() + .seconds(SystemProgramRunner.secondsMax)
        guard ended.wait(timeout: deadline) == .success else {
            process.terminate()
            return nil
        }
        let signalled = process.terminationReason == .uncaughtSignal
        return ProgramResult(
            exitCode: process.terminationStatus &+ (signalled ? 128 : 0),
            output: outputText.finish(), errors: errorText.finish())
    }
}

/// Reads a pipe to its end on a thread of its own, so that the writer never waits.
private final class PipeReader: Sendable {
    private let descriptor: Int32
    private let octets = Mutex<[UInt8]>([])
    private let done = DispatchSemaphore(value: 0)
    private let pipe: Pipe

    init(_ pipe: Pipe) {
        self.pipe = pipe
        descriptor = pipe.fileHandleForReading.fileDescriptor
    }

    func start() {
        Thread.detachNewThread { [self] in
            var room = [UInt8](repeating: 0, count: 32_768)
            while true {
                let count = read(descriptor, &room, room.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                octets.withLock { $0 += room[..<count] }
            }
            done.signal()
        }
    }

    /// What came until the end. A grandchild that keeps the pipe open is waited for one second.
    func finish() -> [UInt8] {
        _ = done.wait(timeout: .now() + .seconds(1))
        return octets.withLock { $0 }
    }
}
