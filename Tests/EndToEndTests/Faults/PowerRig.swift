import Foundation
import ProxydTestSupport

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
