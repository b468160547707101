import Foundation
import ProxydTestSupport
import Synchronization
import Testing

extension FaultMatrix {
    /// F5: the Nth call of the kernel fails; strace makes it so.
    @Suite(.enabled(if: FaultNeeds.canTrace, "strace is not installed or not permitted"))
    struct SystemCallFaults {
        private static let faults: [(call: String, error: String)] = [
            ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync", "EIO"), ("openat", "EMFILE"),
            ("accept4", "EMFILE"), ("mmap", "ENOMEM"), ("sendto", "EINTR"), ("recvfrom", "EAGAIN"),
            ("epoll_wait", "EINTR"), ("connect", "ENETUNREACH"), ("socket", "EMFILE"),
            ("writev", "EAGAIN"), ("readv", "EINTR"), ("read", "EIO"), ("write", "EPIPE"),
            ("clone3", "EAGAIN"), ("ftruncate", "ENOSPC"), ("fcntl", "EAGAIN"), ("pread64", "EIO"),
            ("unlink", "EACCES"),
        ]

        /// Which of the calls fail, in strace's words: one of them, all from one on (`1+`), every
        /// fortieth from one on (`1+40`), so that a long run meets each of the first 200 in 40.
        private static var places: [String] {
            let full = ["1", "3", "20", "100", "1+", "30+", "200+"]
            switch FaultScale.current {
            case .quick: return ["20+1000"]
            case .full: return full
            case .long:
                return full + (1...40).map { "\($0)+40" } + [2, 5, 10, 60, 100].map { "\($0)+" }
            }
        }

        private struct Try: Sendable, CustomStringConvertible {
            let call: String, error: String, place: String

            /// Whether it may leave no way to hear or tell anyone, whatever the daemon does: no
            /// accept, receive, send or wait succeeds any more, or the wake-up of a loop is lost,
            /// which a kernel does not do. What must hold then is that the store stays whole.
            var isMute: Bool {
                switch call {
                case "accept4", "sendto", "recvfrom", "epoll_wait": place.hasSuffix("+")
                case "write": true
                default: false
                }
            }

            /// Whether the system's loader meets it, before there is a program.
            var isBeforeStart: Bool { call == "mmap" && ["1", "1+"].contains(place) }

            var description: String { "\(call) \(error) \(place)" }
        }

        private struct Tally {
            var runs = 0, refusedStarts = 0
            var problems: [String] = []

            mutating func add(_ other: Tally) {
                runs += other.runs
                refusedStarts += other.refusedStarts
                problems += other.problems
            }
        }

        @Test
        func `proxyd neither crashes nor hangs when system calls fail, and the store stays intact`()
            throws
        {
            let origin = try Origin()
            // With a store that is there, so that its first making is not all that is met.
            let first = try Daemon()
            try first.curl(origin.url("/kept"))
            _ = try first.row()
            #expect(first.stop() == 0)
            let faults = FaultScale.current == .quick ? Array(Self.faults[..<2]) : Self.faults
            let all = Mutex(Tally())
            let tries = faults.flatMap { fault in
                Self.places.map { Try(call: fault.call, error: fault.error, place: $0) }
            }.filter { !$0.isBeforeStart }
            try Rounds.each(tries) { one in
                let tally = try Self.tally(one, first.data, origin)
                all.withLock { $0.add(tally) }
            }
            let tally = all.withLock { $0 }
            #expect(tally.problems == [], "\(tally.problems.joined(separator: "\n"))")
            FaultReport.add(
                "F5", "the Nth system call fails (strace)",
                bar: "no crash, no hang > 5 s, no corruption",
                reached: "\(tally.runs) runs of \(faults.count) faults, \(tally.refusedStarts) "
                    + "refused to start, \(tally.problems.count) problems",
                isReached: tally.problems.isEmpty, isPart: FaultScale.current < .long)
        }

        private static func tally(
            _ what: Try, _ sample: ScratchFolder, _ origin: Origin
        ) throws -> Tally {
            var tally = Tally(runs: 1)
            let data = try ScratchFolder()
            try Tool.run("cp", ["-a", sample.path + "/data", data.path + "/data"])
            let launcher = try FaultNeeds.tracing(
                what.call, "error=\(what.error):when=\(what.place)")
            do {
                let proxy = try Daemon(data: data, launcher: launcher)
                for number in 0..<5 {
                    // It may be refused; it must not hang.
                    let outcome = try Tool.run(
                        "curl",
                        [
                            "-sS", "-o", "/dev/null", "--max-time", "8", "-x", proxy.url,
                            origin.url("/\(number)"),
                        ])
                    if outcome.status == 28, !what.isMute {
                        tally.problems.append("\(what): hangs")
                    }
                }
                if !proxy.service.isRunning {
                    tally.problems.append("\(what): ended by itself: \(proxy.service.errors)")
                }
                proxy.service.signal(SIGKILL)
                _ = proxy.service.waitForExit()
            } catch let failure as Tool.Failure {
                tally.refusedStarts += 1
                // A configuration's own name stands before what is wrong with it.
                let isTold = ["proxyd:", "proxyd.toml:"].contains(
                    where: failure.description.contains)
                if !isTold, !what.isMute {
                    tally.problems.append("\(what): no cause: \(failure)")
                }
            }
            let again = try Daemon(data: data)
            if try again.proxyctl(["check"]).status != 0 {
                tally.problems.append("\(what): the store is damaged")
            }
            if again.service.errors.contains("it was moved to") {
                tally.problems.append("\(what): the store was put aside")
            }
            if try again.rows("path:/kept", count: 1).count != 1 {
                tally.problems.append("\(what): what was stored is lost")
            }
            if again.stop() != 0 { tally.problems.append("\(what): the next one fails") }
            return tally
        }
    }
}
