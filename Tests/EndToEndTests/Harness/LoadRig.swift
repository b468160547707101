import Foundation
import ProxydTestSupport
import Testing

/// Planned traffic: an origin on forty addresses, a client that sends by the plan, and a checker
/// that compares every row of a store with it; see Servers/load_plan.py.
final class LoadRig {
    /// Trusted by the proxy when it connects to servers.
    let certificate: TestCertificate
    /// The origin's ports: plain, TLS.
    let ports: [Int]
    private let python: String
    private let service: Service

    init() throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        self.python = python
        let addresses = (1...40).map { "IP:127.0.0.\($0)" }.joined(separator: ",")
        certificate = try TestCertificate(names: "DNS:localhost,\(addresses)")
        service = try Service(
            python,
            [
                "-B", LoadRig.script("load_origin"), "--tls", certificate.certificatePath,
                certificate.keyPath,
            ])
        ports = try service.readLine().split(separator: " ").compactMap { Int($0) }
        guard ports.count == 2 else { throw Tool.Failure(description: "the origin has no ports") }
    }

    static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Servers/\(name).py").path
    }

    /// A URL of the origin's plain port.
    func url(_ path: String) -> String { "http://127.0.0.1:\(ports[0])\(path)" }

    /// Asks the origin directly.
    func ask(_ path: String) throws -> String {
        try Tool.run("curl", ["-sS", "--max-time", "60", url(path)]).text
    }

    /// Sends the requests of some numbers, half of them intercepted, and returns what the client
    /// reports: `done`, `wrong_count`, `failed_count`.
    func send(
        _ numbers: Range<Int>, through proxy: Daemon, _ more: [String] = []
    ) throws -> Row {
        try report(
            "load_client", numbers, proxy,
            ["--proxy", String(proxy.port), "--ca", proxy.certificatePath] + more)
    }

    /// Compares the rows of some numbers with the plan. `only` names those that must be there;
    /// all of them where it is nil.
    func check(_ numbers: Range<Int>, in proxy: Daemon, only: [Int]? = nil) throws -> Row {
        let scratch = try ScratchFolder()
        var more: [String] = []
        if let only {
            more = ["--only", scratch.path + "/only.json"]
            try JSONEncoder().encode(only).write(to: URL(fileURLWithPath: more[1]))
        }
        return try report(
            "load_check", numbers, proxy, [proxy.directory + "/captures.sqlite"] + more)
    }

    private func report(
        _ script: String, _ numbers: Range<Int>, _ proxy: Daemon, _ more: [String]
    ) throws -> Row {
        let outcome = try proxy.run(
            python,
            ["-B", LoadRig.script(script)] + more + [
                "--origin", String(ports[0]), String(ports[1]),
                "--first", String(numbers.lowerBound), "--count", String(numbers.count),
            ])
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
        return try Row(json: outcome.text)
    }
}

extension LoadRig {
    /// Expects that a daemon of which no one asks anything keeps no processor busy; time passes by
    /// asking the origin.
    func expectNoSpin(_ proxy: Daemon) throws {
        let clock = ContinuousClock()
        let before = try proxy.processorSeconds()
        let elapsed = try clock.measure {
            for _ in 0..<60 { _ = try ask("/elsewhere") }
        }
        let share = (try proxy.processorSeconds() - before) / (elapsed / .seconds(1))
        #expect(share < 0.25)
    }
}

/// Traffic on a thread of its own while a test does something else.
final class LoadInBackground: @unchecked Sendable {
    // Proof: `report` is touched under the lock only, and everything else does not change.
    private let lock = NSCondition()
    private var report: Result<Row, any Error>?

    /// Runs something that ends with a report.
    init(_ work: @escaping () throws -> Row) {
        nonisolated(unsafe) let work = work
        let thread = Thread { [self] in
            let report = Result { try work() }
            lock.withLock {
                self.report = report
                lock.broadcast()
            }
        }
        thread.start()
    }

    /// Sends the requests of some numbers with load_client.py.
    convenience init(_ rig: LoadRig, _ numbers: Range<Int>, _ proxy: Daemon) {
        self.init { try rig.send(numbers, through: proxy, ["--connections", "8"]) }
    }

    var isRunning: Bool { lock.withLock { report == nil } }

    /// What was reported at the end.
    func result() throws -> Row {
        lock.lock()
        defer { lock.unlock() }
        while report == nil { lock.wait() }
        guard let report else { throw Tool.Failure(description: "the load has no result") }
        return try report.get()
    }
}
