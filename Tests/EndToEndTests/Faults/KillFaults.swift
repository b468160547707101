import Foundation
import ProxydTestSupport
import Synchronization
import Testing

extension FaultMatrix {
    /// F3: `kill -9` at any moment.
    struct KillFaults {
        /// What is older when the daemon dies is in the store: the promise of 100 ms, and a flush
        /// of the disk. In a quick run other tests may keep the recorder from the processor.
        static let promiseNs = FaultScale.current == .quick ? 2_000_000_000 : 300_000_000
        /// The store is started anew after this many kills; each leaves its rows to the next.
        private static let killsOfAStore = 10

        @Test
        func
            `kill -9 under load leaves the store intact with all exchanges that ended well before`()
            throws
        {
            let rig = try LoadRig()
            let all = Mutex(Tally())
            let rounds = FaultScale.count(quick: 2, full: 200)
            let stores = stride(from: 0, to: rounds, by: Self.killsOfAStore)
                .map { $0..<min($0 + Self.killsOfAStore, rounds) }
            try Rounds.each(stores) { kills in
                let data = try ScratchFolder()
                for number in kills {
                    let tally = try Self.round(number, rig, data)
                    all.withLock { $0.add(tally) }
                }
            }
            let tally = all.withLock { $0 }
            #expect(tally.problems == [])
            FaultReport.add(
                "F3", "kill −9 at any moment under load",
                bar: "200 × whole, 0 final rows lost, start again ≤ 1 s",
                reached: "\(tally.rounds) × whole, \(tally.lost) of \(tally.promised) lost, "
                    + "started in \(FaultReport.text(tally.slowestStart)) at most",
                isReached: tally.problems.isEmpty && tally.slowestStart <= 1)
        }

        private struct Tally {
            var rounds = 0, promised = 0, lost = 0
            var slowestStart = 0.0
            var problems: [String] = []

            mutating func add(_ other: Tally) {
                rounds += other.rounds
                promised += other.promised
                lost += other.lost
                slowestStart = max(slowestStart, other.slowestStart)
                problems += other.problems
            }
        }

        private static func round(
            _ number: Int, _ rig: LoadRig, _ data: ScratchFolder
        ) throws -> Tally {
            let numbers = (number * 4_000)..<(number * 4_000 + 4_000)
            var tally = Tally(rounds: 1)
            let clock = ContinuousClock()
            var started: Daemon?
            let taken = try clock.measure {
                started = try Daemon(trusting: rig.certificate, data: data)
            }
            tally.slowestStart = taken / .seconds(1)
            let proxy = try #require(started)
            let sent = try rig.send(
                numbers, through: proxy,
                [
                    "--kill", String(proxy.service.pid), "--after",
                    String(Int.random(in: 5...FaultScale.count(quick: 500, full: 2_500))),
                ])
            _ = proxy.service.waitForExit()
            let promised = try sent.endedBefore(ageNs: promiseNs)
            let again = try Daemon(trusting: rig.certificate, data: data)
            let stored = try rig.check(numbers, in: again, only: promised)
            tally.promised += promised.count
            tally.lost += stored.int("missing_count") ?? 0
            if stored.text("integrity") != "ok" || stored.int("missing_count") != 0
                || stored.int("wrong_count") != 0 || stored.int("active") != 0
                || (stored.object["twice"] as? [Int])?.isEmpty != true
            {
                tally.problems.append("round \(number): \(stored.object)")
            }
            again.service.signal(SIGKILL)
            _ = again.service.waitForExit()
            return tally
        }

        @Test func `after kill -9, a long write-ahead log is recovered at the next start`() throws {
            let rig = try LoadRig()
            let data = try ScratchFolder()
            let proxy = try Daemon(data: data)
            let wanted = FaultScale.count(quick: 16, full: 256) << 20
            // A reader that goes on reading keeps the log from being copied into the store.
            let reader = try OtherProgram(.reading, store: proxy.directory + "/captures.sqlite")
            while try proxy.status().int("wal_bytes") ?? 0 < wanted {
                try proxy.curl("-o", "/dev/null", "-f", rig.url("/give/wal/\(15 << 20)"))
            }
            let count = try proxy.rows(count: 1).count
            proxy.service.signal(SIGKILL)
            _ = proxy.service.waitForExit()
            reader.end()
            var started: Daemon?
            let clock = ContinuousClock()
            let taken = try clock.measure { started = try Daemon(data: data) } / .seconds(1)
            let again = try #require(started)
            #expect(try again.rows(count: count).count == count)
            #expect(try again.proxyctl(["check"]).status == 0)
            FaultReport.add(
                "F3", "start with a write-ahead log of \(wanted >> 20) MiB", bar: "≤ 1 s",
                reached: FaultReport.text(taken), isReached: taken <= 1)
        }
    }
}

extension Row {
    /// The numbers of the requests that had ended some time before the kill; a report of
    /// load_client.py.
    func endedBefore(ageNs: Int) throws -> [Int] {
        guard let ages = object["ages"] as? [String: Int] else {
            throw Tool.Failure(description: "nothing was killed: \(object)")
        }
        return ages.filter { $0.value > ageNs }.compactMap { Int($0.key) }
    }
}
