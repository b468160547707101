import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F4: the power fails. What was written and not flushed is lost, or some of it is, in any
    /// order; what the daemon wrote and flushed is written down, and such states are made of it.
    @Suite(.enabled(if: FaultNeeds.compiler != nil, "cc is not installed"))
    struct PowerFaults {
        /// The store is started anew after this many failures; each leaves its rows to the next.
        private static let failuresOfAStore = 10

        @Test(arguments: ["normal", "full"])
        func `after a simulated power cut, the store is intact and has everything that was flushed`(
            durability: String
        ) throws {
            let rig = try PowerRig(durability: durability)
            var tally = Tally()
            let rounds = FaultScale.count(quick: 2, full: 20, long: 100)
            while tally.rounds < rounds {
                var history = History(data: try ScratchFolder())
                for _ in 0..<min(Self.failuresOfAStore, rounds - tally.rounds) {
                    try round(rig, &history, &tally)
                }
            }
            #expect(tally.problems == [])
            let limit = durability == "full" ? "0 lost" : "≤ what came in the last 1 s lost"
            FaultReport.add(
                "F4", "power fails, durability \(durability)",
                bar: "100 × whole, \(limit)",
                reached: "\(tally.rounds) × started again, \(tally.states) states looked through, "
                    + "\(tally.problems.count) problems; at risk for "
                    + "\(FaultReport.text(tally.atRiskMs / 1_000)) at most",
                isReached: tally.problems.isEmpty && tally.atRiskMs <= 1_000,
                isPart: tally.rounds < 100)
        }

        private struct Tally {
            var rounds = 0, states = 0
            var atRiskMs = 0.0
            var problems: [String] = []
        }

        /// A store through several failures.
        private struct History {
            /// `data` is what the last failure left, `base` a copy of it.
            var data: ScratchFolder
            /// The planned requests that were sent last, and those of them that it has to hold.
            /// That it holds what it held before as well, the states are looked through for.
            var sent = 0..<0
            var safe: [Int] = []
        }

        private func round(
            _ rig: PowerRig, _ history: inout History, _ tally: inout Tally
        ) throws {
            tally.rounds += 1
            let scratch = try ScratchFolder()
            let log = scratch.path + "/log", told = scratch.path + "/told"
            let proxy = try rig.daemon(history.data, log: log)
            if !history.safe.isEmpty {
                let stored = try rig.load.check(history.sent, in: proxy, only: history.safe)
                if let problem = Self.problem(stored) {
                    tally.problems.append("start \(tally.rounds): \(problem)")
                }
            }
            let count = FaultScale.count(quick: 150, full: 1_000)
            history.sent = history.sent.upperBound..<history.sent.upperBound + count
            let follower = try rig.follower(of: proxy, log: log)
            let sent = try rig.load.send(history.sent, through: proxy)
            #expect(sent.int("done") == count, "\(sent.object)")
            try proxy.settle()
            try follower.endInput()
            let news = try follower.readLine()
            // Without further traffic, too, what was stored becomes safe.
            #expect(try Row(json: news).object["safe"] as? Bool == true)
            try news.write(toFile: told, atomically: false, encoding: .utf8)
            // An end in order flushes, cuts and removes what others leave.
            let endsInOrder = tally.rounds % 2 == 0
            proxy.service.signal(endsInOrder ? SIGTERM : SIGKILL)
            _ = proxy.service.waitForExit()
            if proxy.service.errors.contains("it was moved to") {
                tally.problems.append("start \(tally.rounds): \(proxy.service.errors)")
            }
            let next = try ScratchFolder()
            let report = try rig.states(
                history.data, log: log, told: told, next: next,
                ["--seed", String(tally.rounds)] + (endsInOrder ? ["--ended"] : []))
            tally.states += report.int("states") ?? 0
            tally.atRiskMs = max(tally.atRiskMs, report.double("at_risk_ms") ?? .infinity)
            tally.problems += report.object["problems"] as? [String] ?? ["no report"]
            let safe = report.object["next"] as? [Int] ?? []
            history.safe = safe.filter(history.sent.contains)
            history.data = next
        }

        private static func problem(_ stored: Row) -> String? {
            let isFine =
                stored.text("integrity") == "ok" && stored.int("missing_count") == 0
                && stored.int("wrong_count") == 0 && stored.int("active") == 0
                && (stored.object["twice"] as? [Int])?.isEmpty == true
            return isFine ? nil : "\(stored.object)"
        }
    }
}

/// Daemons whose every write and flush is written down, and what a power failure makes of it; see
/// Drivers/power_log.c, power_follow.py and power_states.py.
struct PowerRig {
    let load: LoadRig
    private let durability: String
    private let python: String
    private let library: String
    private let scratch: ScratchFolder

    /// What the scripts are told of the durability.
    private var promise: [String] { durability == "full" ? ["--always"] : [] }

    init(durability: String) throws {
        guard let python = Tool.find("python3"), let compiler = FaultNeeds.compiler else {
            throw Tool.Failure(description: "python3 or cc is not installed")
        }
        self.durability = durability
        self.python = python
        load = try LoadRig()
        scratch = try ScratchFolder()
        library = scratch.path + "/power_log.so"
        let source = FaultDriver.script("power_log").dropLast(2) + "c"
        let built = try Tool.run(
            compiler, ["-O1", "-shared", "-fPIC", String(source), "-o", library, "-lpthread"])
        guard built.status == 0 else { throw Tool.Failure(description: built.errors) }
    }

    /// A daemon whose files below the directory are watched.
    func daemon(_ data: ScratchFolder, log: String) throws -> Daemon {
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
        return try Daemon(
            trusting: load.certificate,
            configuration: "[recording]\ndurability = \"\(durability)\"\n", data: data,
            launcher: [
                "/usr/bin/env", "LD_PRELOAD=\(library)\(others)", "POWER_LOG=\(log)",
                "POWER_LOG_ROOT=\(data.path)",
            ])
    }

    /// Who notes when the daemon says that it stored something.
    func follower(of proxy: Daemon, log: String) throws -> Service {
        let service = try Service(
            python,
            ["-B", FaultDriver.script("power_follow"), proxy.directory + "/control.sock", log]
                + promise)
        _ = try service.readLine()
        return service
    }

    /// Looks through some of the states that a failure could have left, and makes one at `next`.
    /// `more` are arguments of power_states.py.
    func states(
        _ data: ScratchFolder, log: String, told: String, next: ScratchFolder,
        _ more: [String]
    ) throws -> Row {
        let count = FaultScale.count(quick: 12, full: 20, long: 100)
        let outcome = try Tool.run(
            python,
            [
                "-B", FaultDriver.script("power_states"), data.path, log, told, "--states",
                String(count), "--next", next.path,
            ] + more + promise)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
        return try Row(json: outcome.text)
    }
}
