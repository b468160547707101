import Foundation
import ProxydConfinement
import ProxydTestSupport
import Testing

/// A program between its pipes, from its start to its end. Its launcher does not confine it.
struct ConfinedProcessTests {
    private let scratch: ScratchFolder
    /// Becomes what follows `--`.
    private let launcher: String

    init() throws {
        scratch = try ScratchFolder()
        launcher = scratch.path + "/launcher"
        try ShellProgram.make(
            "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"", at: launcher)
    }

    private func command(_ script: String) -> ConfinedCommand {
        command(words: ["/bin/sh", "-c", script])
    }

    private func command(words: [String]) -> ConfinedCommand {
        ConfinedCommand(
            words, in: "/", scratch: scratch.path, readable: [], hidden: [],
            confinement: .none)
    }

    @Test func `stdin, stdout and stderr of a confined process are pipes`() throws {
        let run = try RunProgram(
            command("read a; echo out $a; echo err >&2; cat >/dev/null; exit 7"), by: launcher,
            input: "word\nrest")
        #expect(run.output == "out word\n" && run.errors == "err\n")
        #expect(run.ending == .exited(7))
    }

    @Test func `a confined process has exactly the environment of its command`() throws {
        let run = try RunProgram(
            command("env | grep -v '^_=\\|^PWD=\\|^SHLVL=' | sort"), by: launcher)
        #expect(
            run.output.split(separator: "\n").map(String.init) == command("").environment.sorted())
    }

    @Test
    func `a confined process has its own process group and no inherited files or blocked signals`()
        throws
    {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        let run = try RunProgram(
            command(
                "[ -e /proc/$$/fd/\(descriptor) ] && echo inherited; "
                    + "[ $(cut -d ' ' -f 5 /proc/$$/stat) = $$ ] && echo leads"), by: launcher)
        #expect(run.output == "leads\n")
        // Asked without a shell, which blocks signals while it starts a program.
        let grep = try RunProgram(
            command(words: ["grep", "SigBlk", "/proc/self/status"]), by: launcher)
        #expect(grep.output == "SigBlk:\t0000000000000000\n")
    }

    @Test
    func `a confined process that is killed by a signal is distinguished from one that exits`()
        throws
    {
        let run = try RunProgram(command("kill -9 $$"), by: launcher)
        #expect(run.ending == .killed(signal: 9))
        #expect("\(run.ending)" == "it was ended by signal 9")
        #expect("\(ConfinedProcess.Ending.exited(3))" == "it ended with status 3")
    }

    @Test func `terminating a confined process also terminates its child processes`() throws {
        let mark = scratch.path + "/pid"
        let process = try ConfinedProcess(
            command("sleep 600 & echo $! >\(mark).new; mv \(mark).new \(mark); wait"), by: launcher)
        try Eventually.isTrue(orFail: "it does not start") {
            FileManager.default.fileExists(atPath: mark)
        }
        let child = try #require(pid_t(String(contentsOfFile: mark, encoding: .utf8).dropLast()))
        #expect(!process.hasEnded && kill(child, 0) == 0)
        #expect(process.end(graceMilliseconds: 0) == .killed(signal: SIGKILL))
        // It is gone, or waits for init to take its status.
        try Eventually.isTrue(orFail: "it goes on") {
            let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
            return state?.contains(") Z") ?? true
        }
    }

    @Test func `a confined process that gets SIGTERM can exit by itself within a grace period`()
        throws
    {
        let mark = scratch.path + "/ready"
        let process = try ConfinedProcess(
            command("trap 'exit 5' TERM; touch \(mark); while :; do sleep 0.01; done"), by: launcher
        )
        try Eventually.isTrue(orFail: "it does not start") {
            FileManager.default.fileExists(atPath: mark)
        }
        #expect(process.end(graceMilliseconds: 60_000) == .exited(5))
    }

    @Test func `a confinement launcher that does not exist is reported with its path`() throws {
        #expect {
            _ = try ConfinedProcess(command("true"), by: "/nowhere/launcher")
        } throws: { "\($0)" == "/nowhere/launcher: No such file or directory" }
    }
}
