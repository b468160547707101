import Foundation

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
