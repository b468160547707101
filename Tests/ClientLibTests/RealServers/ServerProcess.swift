import Foundation
import ProxydTestSupport

/// A program that runs beside the tests, in a directory of its own. It ends with its last
/// reference, and with this process, however that ends; the directory is removed then.
///
/// Whoever waits for it blocks: to be used on a thread of its own.
final class ServerProcess: Sendable {
    private let scratch: ScratchFolder
    private let log: URL
    private let process: Process
    private let leash: Pipe

    /// Ends the program when standard input ends. The guard that sees to it is killed where the
    /// program ends by itself; else no one may be left to remove the directory.
    private static let script = """
        exec 3<&0
        "$@" </dev/null 3<&- & server=$!
        (read -r _ <&3; kill "$server"; true) & guard=$!
        wait "$server"
        status=$?
        kill "$guard" 2>/dev/null
        wait "$guard" && rm -rf "$PWD"
        exit "$status"
        """

    init(
        _ program: String, _ arguments: [String], in scratch: ScratchFolder,
        environment more: [String: String] = [:]
    ) throws {
        self.scratch = scratch
        log = scratch.url.appending(path: "server.log")
        try Data().write(to: log)
        process = Process()
        leash = Pipe()
        // Other programs that are started meanwhile must not hold the leash too.
        _ = fcntl(leash.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let output = try FileHandle(forWritingTo: log)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", ServerProcess.script, "sh", program] + arguments
        process.currentDirectoryURL = scratch.url
        process.standardInput = leash
        process.standardOutput = output
        process.standardError = output
        process.environment = ProcessInfo.processInfo.environment.merging(more) { $1 }
        try process.runWithSignals()
    }

    deinit {
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// What the program printed so far.
    var printed: String { String(decoding: log.bytes ?? [], as: UTF8.self) }

    /// Waits until `isReady`, or the program has ended, or a number of seconds has passed; says
    /// whether it is ready.
    func waitUntil(limitSeconds: Int = 60, _ isReady: () -> Bool) -> Bool {
        let limit = ContinuousClock.now + .seconds(limitSeconds)
        while process.isRunning, ContinuousClock.now < limit {
            if isReady() { return true }
            usleep(10_000)
        }
        return false
    }

    /// Waits for the program to end; says whether it ended well, and in time.
    func endsWell(limitSeconds: Int) -> Bool {
        _ = waitUntil(limitSeconds: limitSeconds) { false }
        return !process.isRunning && process.terminationStatus == 0
    }
}

/// A server could not be had; says why.
struct ServerUnavailable: Error, CustomStringConvertible {
    let description: String
}

/// For work that waits on other programs: it must not hold a thread that other tests run on.
enum OwnThread {
    /// Does the work on a thread of its own.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
