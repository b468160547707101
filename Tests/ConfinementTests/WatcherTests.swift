import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydConfinement

/// What the process does that watches over a program.
struct WatcherTests {
    private let scratch: ScratchFolder
    private let launcher: String

    init() throws {
        scratch = try ScratchFolder(mode: 0o755)
        launcher = try BuiltProgram.path("proxyctl")
    }

    private func command(
        _ words: [String], limits: ConfinedCommand.Limits? = nil
    ) throws -> ConfinedCommand {
        ConfinedCommand(
            words, in: scratch.path, scratch: scratch.path, readable: [try ProbeRun.program],
            hidden: [], confinement: .none, limits: limits)
    }

    private func run(shell script: String) throws -> RunProgram {
        try RunProgram(try command(["sh", "-c", script]), by: launcher)
    }

    /// Runs a program that takes memory itself, and has children that take some each.
    private func run(
        taking mebibyteCount: Int, children: Int, eachTaking childMebibyteCount: Int,
        limits: ConfinedCommand.Limits
    ) throws -> RunProgram {
        let numbers = [mebibyteCount, children, childMebibyteCount].map(String.init)
        return try RunProgram(
            try command([try ProbeRun.program, "take"] + numbers, limits: limits), by: launcher)
    }

    private static func limits(
        mebibyteCount: UInt64, processCount: Int? = nil
    ) -> ConfinedCommand.Limits {
        ConfinedCommand.Limits(
            memoryByteCount: mebibyteCount << 20, processCount: processCount)
    }

    // MARK: Ends

    @Test
    func `the process watcher exits with the status or signal of the program that it watches`()
        throws
    {
        #expect(try run(shell: "exit 0").ending == .exited(0))
        #expect(try run(shell: "exit 77").ending == .exited(77))
        for signal in [SIGKILL, SIGTERM, SIGABRT, SIGPIPE] {
            #expect(try run(shell: "kill -\(signal) $$").ending == .killed(signal: signal))
        }
    }

    @Test func `child processes that a watched program leaves behind are killed when it exits`()
        throws
    {
        // They have its output, which would otherwise not end for ten minutes.
        let run = try run(shell: "(trap '' TERM HUP; sleep 600 & sleep 600) & echo $!; exit 4")
        #expect(run.ending == .exited(4))
        let child = try #require(pid_t(run.output.dropLast()))
        try Eventually.isTrue(orFail: "it goes on") { kill(child, 0) != 0 }
    }

    @Test func `when a watched program closes its stdout, the reader immediately gets end-of-file`()
        throws
    {
        let process = try ConfinedProcess(
            try command(["sh", "-c", "exec >&- 2>&-; read a"]), by: launcher)
        var watched = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 60_000) == 1 && watched.revents & Int16(POLLHUP) != 0)
        process.closeInput()
        try Eventually.isTrue(orFail: "it does not end") { process.hasEnded }
        #expect(process.end(graceMilliseconds: 0) == .exited(1))
    }

    @Test func `a watched program receives SIGTERM and can exit by itself within the grace period`()
        throws
    {
        let mark = scratch.path + "/ready"
        let script = "trap 'exit 5' TERM; touch \(mark); while :; do sleep 0.01; done"
        let process = try ConfinedProcess(try command(["sh", "-c", script]), by: launcher)
        try Eventually.isTrue(orFail: "it does not start") {
            FileManager.default.fileExists(atPath: mark)
        }
        #expect(process.end(graceMilliseconds: 60_000) == .exited(5))
    }

    // MARK: Limits

    @Test func `a watched process cannot allocate more memory than its limit`() throws {
        let run = try run(
            taking: 300, children: 0, eachTaking: 0,
            limits: WatcherTests.limits(mebibyteCount: 200))
        #expect(run.ending == .exited(3) && run.errors == "")
    }

    @Test func `watched processes that together exceed the memory limit are killed`() throws {
        let run = try run(
            taking: 1, children: 4, eachTaking: 60,
            limits: WatcherTests.limits(mebibyteCount: 100))
        #expect(run.ending == .killed(signal: SIGKILL))
        #expect(run.errors == "proxyd: it had more than 100 MiB of memory, and was ended\n")
    }

    @Test func `a watched program over its memory limit is killed even if its stderr is not read`()
        throws
    {
        let script = "head -c 65536 /dev/zero >&2; exec \(try ProbeRun.program) take 1 4 60"
        let process = try ConfinedProcess(
            try command(["sh", "-c", script], limits: WatcherTests.limits(mebibyteCount: 100)),
            by: launcher)
        try Eventually.isTrue(orFail: "it does not end") { process.hasEnded }
        #expect(process.end(graceMilliseconds: 0) == .killed(signal: SIGKILL))
    }

    @Test(arguments: ["hold-shared", "hold-growing", "hold-tables"])
    func `the memory limit counts shared, grow-down and page-table memory of watched processes`(
        kind: String
    ) throws {
        let run = try RunProgram(
            try command(
                [try ProbeRun.program, kind, "300"],
                limits: WatcherTests.limits(mebibyteCount: 100)), by: launcher)
        #expect(run.ending == .killed(signal: SIGKILL))
        #expect(run.errors == "proxyd: it had more than 100 MiB of memory, and was ended\n")
    }

    @Test
    func `the process watcher does not wait for a process that left the watched process group`()
        throws
    {
        let process = try ConfinedProcess(
            try command(["sh", "-c", "setsid sleep 600 >&- 2>&- & echo $!; read a; exit 4"]),
            by: launcher)
        let other = try #require(pid_t(try ProbeRun.number(from: process.output)))
        defer { kill(other, SIGKILL) }
        try Eventually.isTrue(orFail: "it begins no session") { getsid(other) == other }
        process.closeInput()
        try Eventually.isTrue(orFail: "it does not end") { process.hasEnded }
        #expect(process.end(graceMilliseconds: 0) == .exited(4))
    }

    @Test func `a watched program with more processes than its limit is killed`() throws {
        let run = try run(
            taking: 1, children: 20, eachTaking: 1,
            limits: WatcherTests.limits(mebibyteCount: 1_024, processCount: 10))
        #expect(run.ending == .killed(signal: SIGKILL))
        #expect(
            run.errors == "proxyd: it had more than 10 processes and threads, and was ended\n")
    }

    @Test func `a fork bomb is killed when it exceeds the process limit`() throws {
        let limits = WatcherTests.limits(mebibyteCount: 1_024, processCount: 100)
        let run = try RunProgram(
            try command([try ProbeRun.program, "bomb"], limits: limits), by: launcher)
        #expect(run.ending == .killed(signal: SIGKILL))
        #expect(run.errors.contains("more than 100 processes and threads"))
    }

    @Test
    func `memory shared by processes counts once towards a limit, but each process is counted`()
        throws
    {
        let process = try ConfinedProcess(
            try command([try ProbeRun.program, "take", "100", "4", "1"]), by: launcher)
        defer { process.end(graceMilliseconds: 0) }
        let watcher = try #require(pid_t(try ProbeRun.number(from: process.output)))
        let group = WatchedGroup(of: watcher)
        #expect(group.excess(over: WatcherTests.limits(mebibyteCount: 200)) == nil)
        #expect(
            group.excess(over: WatcherTests.limits(mebibyteCount: 90))
                == .uncertain("more than 90 MiB of memory"))
        #expect(group.excess(over: WatcherTests.limits(mebibyteCount: 200, processCount: 5)) == nil)
        #expect(
            group.excess(over: WatcherTests.limits(mebibyteCount: 200, processCount: 4))
                == .certain("more than 4 processes and threads"))
    }
}
