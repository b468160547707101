import Dispatch
import Foundation
import Synchronization
import Testing

/// The faults of docs/RELIABILITY.md against the real programs, one after the other: what one of
/// them measures, another would disturb.
///
/// `PROXYD_FAULTS` says how often each is tried (`quick`, `full`, `long`), `PROXYD_FAULTS_REPORT`
/// names a file that gets a line for each figure, `PROXYD_PROGRAMS` the folder of the programs.
@Suite(.serialized) struct FaultMatrix {}

/// How much is tried of each fault.
enum FaultScale: String, Comparable {
    case quick, full, long

    static let current =
        ProcessInfo.processInfo.environment["PROXYD_FAULTS"].flatMap(FaultScale.init) ?? .quick

    static func < (left: FaultScale, right: FaultScale) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .quick: 0
        case .full: 1
        case .long: 2
        }
    }

    /// A count for this run; a long one is as a full one where nothing else is said.
    static func count(quick: Int, full: Int, long: Int? = nil) -> Int {
        switch current {
        case .quick: quick
        case .full: full
        case .long: long ?? full
        }
    }
}

/// What a fault's test reached beside what it should: a line for people, and one for
/// docs/RELIABILITY.md.
///
/// Figures of time depend on what else the machine does. They are reported, and said to be missed,
/// but only what is lost, wrong or broken fails a test. `isPart` says that the bar was reached with
/// fewer tries than it asks for.
enum FaultReport {
    static func add(
        _ number: String, _ fault: String, bar: String, reached: String, isReached: Bool,
        isPart: Bool = false
    ) {
        let verdict = !isReached ? "MISSED" : isPart ? "in part" : "reached"
        print("\(number) \(fault): \(reached) (\(bar)): \(verdict)")
        guard let path = ProcessInfo.processInfo.environment["PROXYD_FAULTS_REPORT"] else { return }
        let line = "| \(number) | \(fault) | \(bar) | \(reached) | \(verdict) |\n"
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forWritingAtPath: path) else { return }
        defer { try? file.close() }
        _ = try? file.seekToEnd()
        try? file.write(contentsOf: Data(line.utf8))
    }

    /// A duration as people read it.
    static func text(_ seconds: Double) -> String {
        seconds < 1 ? "\(Int((seconds * 1_000).rounded())) ms" : String(format: "%.1f s", seconds)
    }
}

/// What some faults need of the machine; where it is missing, their tests are skipped and say so.
enum FaultNeeds {
    /// Port 53 of a loopback address, and a mount namespace of one's own for resolv.conf.
    static let canServeNames: Bool = {
        let script = """
            import socket
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("127.0.0.77", 53))
            """
        let mount = ["-rm", "mount", "--bind", "/etc/hosts", "/etc/resolv.conf"]
        return (try? Tool.run("python3", ["-c", script]))?.status == 0
            && (try? Tool.run("unshare", mount))?.status == 0
    }()

    /// A command that becomes another one whose calls of the kernel meet a fault, in the words of
    /// strace(1)'s `inject`.
    static func tracing(_ call: String, _ fault: String) throws -> [String] {
        guard let strace = Tool.find("strace") else {
            throw Tool.Failure(description: "strace is not installed")
        }
        return [
            strace, "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
            "inject=\(call):\(fault)",
        ]
    }

    /// A C compiler, for what is loaded into a program to watch it.
    static let compiler = Tool.find("cc")

    /// The library that makes a program believe in another time.
    static let clockLibrary: String? = ["x86_64", "aarch64"]
        .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// A network of one's own whose only link is slow and narrow: 1 Mbit/s in packets of 1,500
    /// bytes.
    static let narrowNetwork = [
        "/usr/bin/env", "unshare", "-rn", "/bin/sh", "-c",
        "ip link set lo up mtu 1500 && tc qdisc add dev lo root tbf rate 1mbit burst 16kb "
            + "latency 500ms && exec \"$@\"", "sh",
    ]

    /// Whether such a network can be had.
    static let canNarrow =
        (try? Tool.run(
            narrowNetwork[0], narrowNetwork.dropFirst() + ["/bin/sh", "-c", "exit 7"]))?.status == 7

    /// strace, and the right to use it as these tests do.
    static let canTrace: Bool = {
        let arguments = [
            "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=getppid", "-e",
            "inject=getppid:error=EPERM:when=1", "/bin/sh", "-c", "exit 7",
        ]
        return (try? Tool.run("strace", arguments, seconds: 20))?.status == 7
    }()
}

/// The programs that bring a fault about and watch what it does; see Drivers/.
enum FaultDriver {
    static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Drivers/\(name).py").path
    }

    /// Runs one to its end against a daemon; it prints one JSON object. It is ended, and the test
    /// with it, when it takes longer than `seconds`. `entering` is a command that brings a program
    /// to where the daemon is.
    static func run(
        _ name: String, against proxy: Daemon, _ arguments: [String] = [], seconds: Int = 120,
        tls certificate: TestCertificate? = nil, entering: [String] = []
    ) throws -> Row {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        var all =
            ["-k", "5", String(seconds)] + entering + [
                python, "-B", script(name), "--proxy", String(proxy.port),
                "--pid", String(proxy.service.pid), "--ca", proxy.certificatePath,
                "--data", proxy.directory,
            ]
        if let certificate { all += ["--tls", certificate.certificatePath, certificate.keyPath] }
        let outcome = try Tool.run("timeout", all + arguments, seconds: Double(seconds) + 30)
        guard outcome.status == 0 else {
            throw Tool.Failure(
                description: "\(name) ended with \(outcome.status): \(outcome.errors.suffix(4_000))"
                    + " daemon: \(proxy.service.errors.suffix(2_000))")
        }
        return try Row(json: outcome.text)
    }
}

/// Tries that do not disturb one another, two at a time: most of each is waiting for programs that
/// start and end.
enum Rounds {
    private static let width = 2

    private struct State {
        var next = 0
        var failure: (any Error)?

        /// The index of the next item; nil after the last one.
        mutating func take(_ count: Int) -> Int? {
            guard failure == nil, next < count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// Does something with each item, on threads of their own. After an error no more are begun,
    /// and the first one is thrown.
    static func each<Item: Sendable>(
        _ items: [Item], _ body: (Item) throws -> Void
    ) throws {
        let state = Mutex(State())
        // Proof: only what the body itself shares is shared, and it says how.
        nonisolated(unsafe) let body = body
        DispatchQueue.concurrentPerform(iterations: width) { _ in
            while let place = state.withLock({ $0.take(items.count) }) {
                do {
                    try body(items[place])
                } catch {
                    state.withLock { $0.failure = $0.failure ?? error }
                }
            }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
