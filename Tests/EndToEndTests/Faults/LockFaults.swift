import Foundation
import Testing

extension FaultMatrix {
    /// F7: another program keeps the store to itself.
    struct LockFaults {
        @Test(
            arguments: FaultScale.current == .quick
                ? [OtherProgram.Hold.alone] : [.writing, .alone])
        func `while another process locks the store, exchanges are forwarded and stored later`(
            hold: OtherProgram.Hold
        ) throws {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            let batch = FaultScale.count(quick: 100, full: 400)
            var numbers = 0..<batch
            #expect(try rig.send(numbers, through: proxy).int("done") == numbers.count)
            try proxy.settle()
            let other = try OtherProgram(hold, store: proxy.directory + "/captures.sqlite")
            let clock = ContinuousClock()
            let start = clock.now
            let locked = Duration.seconds(FaultScale.count(quick: 1, full: 30))
            var longestQueue = 0
            repeat {
                numbers = numbers.upperBound..<(numbers.upperBound + batch)
                let sent = try rig.send(numbers, through: proxy)
                #expect(sent.int("done") == numbers.count, "\(sent.object)")
                longestQueue = max(longestQueue, try proxy.status().int("queue_bytes") ?? 0)
            } while clock.now - start < locked
            #expect(try proxy.status().object["recording"] as? Bool == false)
            try rig.expectNoSpin(proxy)
            other.end()
            let drained = try clock.measure { try proxy.settle() } / .seconds(1)
            let status = try proxy.status()
            let droppedByteCount = status.int("dropped_body_bytes") ?? 0
            let droppedCount = status.int("dropped_exchanges") ?? -1
            #expect(droppedCount == 0 || droppedByteCount > 0, "bodies go first: \(status.object)")
            #expect(droppedCount == 0 || longestQueue > 60 << 20, "there was room: \(longestQueue)")
            var missingCount = 0
            for first in stride(from: 0, to: numbers.upperBound, by: batch) {
                let areBodiesKept = droppedByteCount == 0 || first == 0
                missingCount += try count(
                    missing: first..<first + batch, rig, proxy, areBodiesKept)
            }
            #expect(missingCount == droppedCount, "what is not there is counted")
            FaultReport.add(
                "F7", "store locked for \(locked) (\(hold.rawValue))",
                bar: "all forwarded, ≤ 64 MiB wait, stored afterwards; bodies left out counted",
                reached:
                    "\(numbers.upperBound) forwarded, \(Self.mib(longestQueue)) waited, stored "
                    + "within \(FaultReport.text(drained)), bodies of "
                    + "\(Self.mib(droppedByteCount)) and \(droppedCount) rows left out",
                isReached: longestQueue <= 64 << 20 && droppedCount == 0)
        }

        private static func mib(_ byteCount: Int) -> String {
            String(format: "%.1f MiB", Double(byteCount) / 1_048_576)
        }

        /// How many rows are not there. Those that are must be right where no body was left out for
        /// want of room.
        private func count(
            missing numbers: Range<Int>, _ rig: LoadRig, _ proxy: Daemon, _ areBodiesKept: Bool
        ) throws -> Int {
            let stored = try rig.check(numbers, in: proxy)
            if areBodiesKept { #expect(stored.int("wrong_count") == 0, "\(stored.object)") }
            #expect(stored.text("integrity") == "ok")
            return try #require(stored.int("missing_count"))
        }
    }
}

/// Another program that has the store open and stays in a transaction.
final class OtherProgram {
    enum Hold: String {
        /// Reads: the log cannot be copied into the store.
        case reading = "BEGIN; SELECT count(*) FROM exchange"
        /// No one else can write.
        case writing = "BEGIN IMMEDIATE"
        /// No one else can write, nor, without a log, read.
        case alone = "BEGIN EXCLUSIVE"
    }

    private let service: Service

    init(_ hold: Hold, store: String) throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        let script = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
            for statement in sys.argv[2].split(";"):
                store.execute(statement).fetchall()
            print("held", flush=True)
            sys.stdin.read()
            """
        service = try Service(python, ["-c", script, store, hold.rawValue])
        _ = try service.readLine()
    }

    func end() {
        guard service.isRunning else { return }
        service.signal(SIGKILL)
        _ = service.waitForExit()
    }
}
