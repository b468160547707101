import Foundation
import Testing

extension FaultMatrix {
    /// F21: memory that the kernel limits.
    @Suite(
        .enabled(if: MemoryGroup.canMake, "a control group of one's own is not permitted"),
        .disabled(if: Sanitizer.isThere, "a sanitizer's own memory does not fit into it"))
    struct MemoryFaults {
        @Test
        func `under load and with slow clients, proxyd stays within a memory limit of 256 MiB`()
            throws
        {
            let rig = try LoadRig()
            let group = try MemoryGroup(limitMiB: 256)
            let proxy = try Daemon(trusting: rig.certificate, launcher: group.launcher)
            let seconds = FaultScale.count(quick: 2, full: 60, long: 600)
            let slowCount = FaultScale.count(quick: 5, full: 50)
            let slow = LoadInBackground {
                try FaultDriver.run(
                    "fault_slow", against: proxy,
                    ["--mode", "readers", "--count", "\(slowCount)", "--seconds", "\(seconds).0"],
                    seconds: seconds + 60)
            }
            let batch = FaultScale.count(quick: 100, full: 1_000)
            var numbers = 0..<0
            repeat {
                numbers = numbers.upperBound..<numbers.upperBound + batch
                let sent = try rig.send(numbers, through: proxy, ["--connections", "64"])
                #expect(sent.int("done") == batch, "\(sent.object)")
            } while slow.isRunning
            let slowReport = try slow.result()
            #expect(slowReport.int("others_wrong") == 0, "\(slowReport.object)")
            #expect(proxy.service.isRunning)
            try proxy.settle()
            let stored = try rig.check(0..<numbers.upperBound, in: proxy)
            #expect(stored.int("missing_count") == 0, "\(stored.object)")
            let residentMiB = Double(try proxy.residentKiB()) / 1_024
            let highestMiB = try group.highestMiB()
            let kills = try group.killCount()
            #expect(kills == 0)
            #expect(proxy.stop() == 0)
            FaultReport.add(
                "F21", "a limit of 256 MiB: mixed load, \(slowCount) slow readers and uploaders",
                bar: "nobody ended in 10 minutes; sheds before",
                reached: String(
                    format: "%d s, %d requests all right and stored, %d ended; %.0f MiB resident, ",
                    seconds, numbers.upperBound, kills, residentMiB)
                    + String(format: "%.0f MiB with cached files", highestMiB),
                isReached: kills == 0, isPart: seconds < 600)
        }
    }
}

/// A control group whose programs may not have more than so much memory; see cgroups(7).
final class MemoryGroup {
    /// Where groups of the memory controller are, and the names of its files, by version.
    private struct Controller {
        let root: String, limit: String, highest: String, events: String

        static let current: Controller? = {
            let first = Controller(
                root: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes",
                highest: "memory.max_usage_in_bytes", events: "memory.oom_control")
            if access(first.root, W_OK) == 0 { return first }
            let enabled = try? String(
                contentsOfFile: "/sys/fs/cgroup/cgroup.subtree_control", encoding: .utf8)
            guard enabled?.contains("memory") == true else { return nil }
            return Controller(
                root: "/sys/fs/cgroup", limit: "memory.max", highest: "memory.peak",
                events: "memory.events")
        }()
    }

    /// Whether this machine lets us make one.
    static let canMake = (try? MemoryGroup(limitMiB: 256)) != nil

    private let controller: Controller
    private let path: String

    init(limitMiB: Int) throws {
        guard let controller = Controller.current else {
            throw Tool.Failure(description: "no control group for memory")
        }
        self.controller = controller
        path = controller.root + "/proxyd-test-\(UUID().uuidString)"
        guard mkdir(path, 0o755) == 0 else {
            throw Tool.Failure(description: "\(path): \(String(cString: strerror(errno)))")
        }
        try String(limitMiB << 20).write(
            toFile: path + "/" + controller.limit, atomically: false, encoding: .utf8)
    }

    deinit { rmdir(path) }

    /// Puts a program into the group, and becomes it.
    var launcher: [String] {
        ["/bin/sh", "-c", "echo $$ >\"$0/cgroup.procs\" && exec \"$@\"", path]
    }

    /// The most that was ever in use, what files keep in memory included; in MiB.
    func highestMiB() throws -> Double { Double(try text(controller.highest).int ?? 0) / 1_048_576 }

    /// How many programs the kernel has ended for want of memory.
    func killCount() throws -> Int {
        let line = try text(controller.events).split(separator: "\n")
            .first { $0.hasPrefix("oom_kill ") }
        return Int(line?.split(separator: " ").last ?? "0") ?? 0
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }
}

extension String {
    fileprivate var int: Int? { Int(trimmingCharacters(in: .whitespacesAndNewlines)) }
}
