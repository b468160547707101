import Foundation
import ProxydTestSupport
import Synchronization
import Testing

extension FaultMatrix {
    /// F8: the store is not what it was when the daemon starts, or while it runs.
    struct DamageFaults {
        /// What is done to the file, whose length is given.
        private enum Damage: CustomStringConvertible, Sendable {
            case header, middlePage, truncated(Int), removed, flips(UInt64)

            var description: String {
                switch self {
                case .header: "header overwritten"
                case .middlePage: "a page in the middle overwritten"
                case .truncated(let length): "cut to \(length) bytes"
                case .removed: "removed"
                case .flips(let seed): "bytes changed, seed \(seed)"
                }
            }

            func apply(to path: String) throws {
                let url = URL(fileURLWithPath: path)
                if case .removed = self { return try FileManager.default.removeItem(at: url) }
                var bytes = [UInt8](try Data(contentsOf: url))
                switch self {
                case .header: bytes.replaceSubrange(0..<100, with: Array(repeating: 0, count: 100))
                case .middlePage:
                    let pageByteCount = 16_384
                    let start = bytes.count / 2 / pageByteCount * pageByteCount
                    bytes.replaceSubrange(
                        start..<start + pageByteCount,
                        with: Array(repeating: 0xA5, count: pageByteCount))
                case .truncated(let length): bytes = Array(bytes.prefix(length))
                case .flips(let seed):
                    var random = SplitMix(seed: seed)
                    for _ in 0..<Int.random(in: 1...32, using: &random) {
                        let place = Int.random(in: 0..<bytes.count, using: &random)
                        bytes[place] ^= UInt8.random(in: 1...255, using: &random)
                    }
                case .removed: break
                }
                try Data(bytes).write(to: url)
            }
        }

        private struct Tally {
            var copies = 0, putAside = 0, readersRefused = 0
            var problems: [String] = []

            mutating func add(_ other: Tally) {
                copies += other.copies
                putAside += other.putAside
                readersRefused += other.readersRefused
                problems += other.problems
            }
        }

        @Test
        func `a damaged store crashes neither proxyctl nor proxyd and is renamed, not deleted`()
            throws
        {
            let origin = try Origin()
            let sample = try Self.sample(origin)
            let flips = FaultScale.count(quick: 2, full: 1_000)
            var damages: [Damage] = [.header, .truncated(40_000)]
            if FaultScale.current > .quick {
                damages += [.middlePage, .truncated(0), .truncated(1), .removed]
            }
            damages += (1...UInt64(flips)).map { .flips($0) }
            let all = Mutex(Tally())
            try Rounds.each(Array(damages.enumerated())) { number, damage in
                let tally = try Self.tally(damage, number, sample, origin)
                all.withLock { $0.add(tally) }
            }
            let tally = all.withLock { $0 }
            #expect(tally.problems == [])
            FaultReport.add(
                "F8", "damaged stores", bar: "1,000 copies: no crash, kept aside, proxying goes on",
                reached: "\(tally.copies) copies, \(tally.problems.count) problems, "
                    + "\(tally.putAside) put aside, \(tally.readersRefused) reads refused",
                isReached: tally.problems.isEmpty, isPart: tally.copies < 1_000)
        }

        private static func tally(
            _ damage: Damage, _ number: Int, _ sample: ScratchFolder, _ origin: Origin
        ) throws -> Tally {
            var tally = Tally(copies: 1)
            let copy = try ScratchFolder()
            try Tool.run("cp", ["-a", sample.path + "/data", copy.path + "/data"])
            try damage.apply(to: copy.path + "/data/captures.sqlite")
            // Each copy meets two of them, and every one of them many copies.
            let first = 2 * number % commands.count
            for command in commands[first..<first + 2] {
                let outcome = try Tool.run(
                    try Tool.built("proxyctl"), ["--data-dir", copy.path + "/data"] + command)
                if outcome.status == 1 { tally.readersRefused += 1 }
                // Beyond 1 and usage errors there are only signals and traps.
                if ![0, 1].contains(outcome.status) {
                    tally.problems.append("\(damage): \(command) ended with \(outcome.status)")
                }
            }
            guard let proxy = try? Daemon(data: copy) else {
                tally.problems.append("\(damage): the daemon does not start")
                return tally
            }
            let outcome = try proxy.curl("-f", origin.url("/after"))
            if outcome.status != 0 { tally.problems.append("\(damage): \(outcome.errors)") }
            if (try? proxy.rows("path:/after", count: 1)) == nil {
                tally.problems.append("\(damage): nothing is recorded any more")
            }
            if proxy.stop() != 0 { tally.problems.append("\(damage): the daemon fails") }
            if proxy.service.errors.contains("it was moved to") {
                tally.putAside += 1
                let names = try FileManager.default.contentsOfDirectory(atPath: proxy.directory)
                if !names.contains(where: { $0.hasPrefix("captures.sqlite.corrupt-") }) {
                    tally.problems.append("\(damage): the damaged store is not kept")
                }
            }
            return tally
        }

        private static let commands = [
            ["list", "--limit", "9999"], ["list", "body:needle", "--json"], ["show", "3"],
            ["show", "3", "--body"], ["export", "--format", "har"], ["check"], ["status"],
            ["sql", "SELECT * FROM exchanges JOIN parameter ON exchange_id = id"],
        ]

        /// The data directory of a daemon that recorded some and ended.
        private static func sample(_ origin: Origin) throws -> ScratchFolder {
            let proxy = try Daemon()
            for number in 0..<10 {
                try proxy.curl(
                    origin.url("/sample/\(number)?a=1&b=needle"), origin.url("/bytes/20000"))
            }
            _ = try proxy.rows(count: 20)
            #expect(proxy.stop() == 0)
            return proxy.data
        }

        /// The interface is shown such stores, too; it must come up and leave, or say why not.
        @Test func `the terminal interface never crashes on a damaged store`() throws {
            let origin = try Origin()
            let sample = try Self.sample(origin)
            let count = FaultScale.count(quick: 1, full: 50)
            var statuses: [Int32: Int] = [:]
            let extra: [Damage] = FaultScale.current == .quick ? [] : [.header, .middlePage]
            for damage in extra + (1...UInt64(count)).map(Damage.flips) {
                let copy = try ScratchFolder()
                try Tool.run("cp", ["-a", sample.path + "/data", copy.path + "/data"])
                try damage.apply(to: copy.path + "/data/captures.sqlite")
                let terminal = try PseudoTerminal(
                    try Tool.built("proxyctl"), ["--data-dir", copy.path + "/data"],
                    dialect: .fullScreen)
                terminal.drain(quiet: 300)
                for key in ["\r", "j", "\u{1B}", "G", "\r"] {
                    terminal.type(key)
                    terminal.drain(quiet: 30)
                }
                let status = try terminal.finish(pressing: "\u{3}")
                statuses[status, default: 0] += 1
                #expect([0, 1].contains(status), "\(damage)")
            }
            let crashes = statuses.filter { ![0, 1].contains($0.key) }.values.reduce(0, +)
            FaultReport.add(
                "F8", "the terminal interface on damaged stores", bar: "no crash",
                reached: "\(count + extra.count) stores, \(crashes) crashes",
                isReached: crashes == 0)
        }

        @Test(
            arguments: FaultScale.current == .quick
                ? ["overwritten"] : ["overwritten", "truncated", "removed"])
        func
            `proxyd keeps forwarding while its store is damaged, and records again after a restart`(
                how: String
            ) throws
        {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            let count = FaultScale.count(quick: 100, full: 1_000)
            #expect(try rig.send(0..<count, through: proxy).int("done") == count)
            try proxy.settle()
            try Self.ruin(proxy.directory + "/captures.sqlite", how)
            let sent = try rig.send(count..<3 * count, through: proxy)
            #expect(sent.int("done") == 2 * count, "\(sent.object)")
            #expect(proxy.service.isRunning)
            #expect(proxy.stop() == 0)
            let again = try Daemon(trusting: rig.certificate, data: proxy.data)
            let numbers = (3 * count)..<(4 * count)
            #expect(try rig.send(numbers, through: again).int("done") == count)
            try again.settle()
            let stored = try rig.check(numbers, in: again)
            #expect(stored.int("wrong_count") == 0, "\(stored.object)")
            #expect(stored.text("integrity") == "ok")
            FaultReport.add(
                "F8", "store \(how) while it is written",
                bar: "proxying goes on, recorded again after a start at the latest",
                reached: "\(sent.int("done") ?? 0) of \(2 * count) forwarded, "
                    + "\(stored.int("rows") ?? 0) of \(count) recorded afterwards",
                isReached: sent.int("done") == 2 * count && stored.int("rows") == count)
        }

        private static func ruin(_ store: String, _ how: String) throws {
            switch how {
            case "removed":
                for ending in ["", "-wal", "-shm"] { unlink(store + ending) }
            case "truncated":
                guard truncate(store, 9_000) == 0 else {
                    throw Tool.Failure(description: "\(store) cannot be cut")
                }
            default:
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store))
                defer { try? file.close() }
                try file.write(contentsOf: Data(repeating: 0xA5, count: 60_000))
            }
        }
    }
}
