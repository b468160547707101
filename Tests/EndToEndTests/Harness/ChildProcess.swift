import Foundation
import ProxydConfinement
import ProxydTestSupport
import Synchronization
import Testing

/// A program that a test started, with nothing but its kernel's word on whether it has ended.
///
/// Foundation's `Process` hears of an end by a socket that the program inherits, so that whatever
/// it leaves running keeps the test waiting; and threads that run tests block most signals, which
/// a program inherits too. Here a program gets three descriptors and no others, has no signal
/// blocked or ignored, and is in a process group of its own, which is killed with the last
/// reference.
final class ChildProcess: Sendable {
    /// What the program reads and writes: descriptors of ours, which stay ours.
    struct Streams {
        let input: Int32, output: Int32, errors: Int32
    }

    /// Whether programs write down which of their lines ran: scripts/coverage has them do so.
    private static let isCounted = getenv("LLVM_PROFILE_FILE") != nil

    let pid: pid_t
    private let name: String
    /// How it ended, once that is known.
    private let ending = Mutex<Int32?>(nil)

    /// Starts the program at a path.
    init(
        _ path: String, _ arguments: [String], environment: [String: String],
        directory: String? = nil, streams: Streams
    ) throws {
        name = ([path] + arguments).joined(separator: " ")
        let start = ProgramStart(
            streams: [streams.input, streams.output, streams.errors],
            environment: environment.map { "\($0)=\($1)" }, hasOwnGroup: true,
            inheritsDescriptors: false)
        let folder = directory.map { ["/usr/bin/env", "--chdir=\($0)"] } ?? []
        do {
            pid = try start.run(folder + [path] + arguments)
        } catch {
            throw Tool.Failure(description: "\(path): \(error)")
        }
    }

    deinit {
        if ChildProcess.isCounted { endInOrder() }
        end()
    }

    var isRunning: Bool { collect(WNOHANG) == nil }

    /// Sends a signal to the program, unless it has ended.
    func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Asks the program to end, until it does or five seconds are over: one that is killed does
    /// not write down what ran.
    private func endInOrder() {
        let deadline = ContinuousClock.now + .seconds(5)
        while isRunning, ContinuousClock.now < deadline {
            kill(pid, SIGTERM)
            usleep(50_000)
        }
    }

    /// Kills the program, and whatever it started that is still in its group.
    func end() {
        kill(-pid, SIGKILL)
        while collect(0) == nil {}
    }

    /// Waits for the end: the exit status, or the number of the signal that ended it. Whoever
    /// takes longer than this number of seconds is killed, and that is an error.
    func wait(seconds: Double) throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            if let status = collect(WNOHANG) { return status }
            guard ContinuousClock.now < deadline else { break }
            usleep(2_000)
        }
        end()
        throw Tool.Failure(description: "it did not end within \(seconds) s: \(name)")
    }

    /// How the program ended, asking the kernel where that is not known.
    private func collect(_ options: Int32) -> Int32? {
        ending.withLock { ending in
            guard ending == nil else { return ending }
            var status: Int32 = 0
            let result = waitpid(pid, &status, options)
            if result == pid {
                let signal = status & 0x7F
                ending = signal == 0 ? (status >> 8) & 0xFF : signal
            } else if result < 0, errno != EINTR {
                // Someone else has waited for it: there is nothing to learn any more.
                ending = -1
            }
            return ending
        }
    }
}

/// What the other tests rely on when they start programs.
struct ChildProcessTests {
    @Test func `a child process of the tests inherits no open files but the standard streams`()
        throws
    {
        let held = (0..<20).map { _ in dup(STDOUT_FILENO) }
        defer { for descriptor in held { close(descriptor) } }
        // The shell itself opens none for this.
        let outcome = try Tool.run("/bin/sh", ["-c", "echo /proc/$$/fd/*"])
        let names = outcome.text.split { $0.isWhitespace }.map { $0.split(separator: "/").last }
        #expect(Set(names.compactMap { $0 }).isSubset(of: ["0", "1", "2", "3"]), "\(outcome.text)")
    }

    @Test func `a background process that a child process of the tests leaves behind is killed`()
        throws
    {
        let outcome = try Tool.run("/bin/sh", ["-c", "sleep 600 & echo $!"], seconds: 60)
        let left = try #require(Int32(outcome.text.trimmingCharacters(in: .newlines)))
        // Killed, it is there until someone has waited for it.
        try Eventually.isTrue(orFail: "it was not killed") {
            try kill(left, 0) != 0 || isZombie(left)
        }
    }

    private func isZombie(_ pid: Int32) throws -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
            return true
        }
        return status.contains(") Z ")
    }

    @Test
    func `a child process of the tests is killed after its time limit and its output is reported`()
        throws
    {
        #expect {
            try Tool.run("/bin/sh", ["-c", "echo so far >&2; exec sleep 600"], seconds: 0.5)
        } throws: { "\($0)".contains("did not end") && "\($0)".contains("so far") }
    }

    @Test
    func `the status of a child process of the tests is its exit status or its signal's number`()
        throws
    {
        #expect(try Tool.run("/bin/sh", ["-c", "exit 7"]).status == 7)
        #expect(try Tool.run("/bin/sh", ["-c", "kill -9 $$"]).status == 9)
    }
}
