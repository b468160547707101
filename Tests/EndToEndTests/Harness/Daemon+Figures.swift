import Foundation
import ProxydTestSupport

/// What the load tests measure of a daemon.
extension Daemon {
    /// Whether the full figures are wanted: PROXYD_TEST_FULL=1. They take minutes.
    static var isFullScale: Bool { ProcessInfo.processInfo.environment["PROXYD_TEST_FULL"] == "1" }

    /// `proxyctl status --json`.
    func status() throws -> Row { try Row(json: try proxyctl(["status", "--json"]).text) }

    /// Waits until everything that ended is in the store and nothing is open.
    func settle() throws {
        try Eventually.isTrue(orFail: "exchanges stay open: \(try status().object)") {
            let status = try status()
            return status.int("queue_bytes") == 0 && status.int("active_exchanges") == 0
        }
    }

    /// Waits until no client is connected, and none waits to be accepted.
    func settleClients() throws {
        try Eventually.isTrue(orFail: "clients stay connected: \(try status().object)") {
            try status().int("client_connections") == 0 && waitingClientCount() == 0
        }
    }

    /// Connections that the kernel holds for it until it accepts them: the receive queue of a
    /// listening socket, state 0A, in proc(5)'s net/tcp; nil where the table, which changes while
    /// it is read, does not show it.
    private func waitingClientCount() throws -> Int? {
        let table = try String(contentsOfFile: "/proc/\(service.pid)/net/tcp", encoding: .utf8)
        let ending = ":" + String(format: "%04X", port)
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 4, fields[1].hasSuffix(ending), fields[3] == "0A" else { continue }
            return fields[4].split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0
        }
        return nil
    }

    /// How far resident memory rose, at its highest, while a body ran; in MiB.
    func residentGrowthMiB(while body: () throws -> Void) throws -> Double {
        let before = try residentKiB()
        // 5 makes the kernel forget the highest figure so far; see proc_pid_clear_refs(5). Only
        // root may do that; others see what its start took, too.
        let file = "/proc/\(service.pid)/clear_refs"
        if geteuid() == 0 { try "5".write(toFile: file, atomically: false, encoding: .utf8) }
        try body()
        return Double(try memoryKiB("VmHWM") - before) / 1_024
    }

    /// Processor time spent so far, in seconds.
    func processorSeconds() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(service.pid)/stat", encoding: .utf8)
        // Behind the program's name, which may hold anything; then fields 14 and 15 of proc(5).
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { throw Tool.Failure(description: "no figures in \(text)") }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func memoryKiB(_ field: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(service.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
