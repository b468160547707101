import Foundation
import ProxydConfinement
import ProxydTestSupport
import Testing

/// What a confined program can reach, asked by the shell.
@Suite(.enabled(if: (try? Landlock.version()) != nil, "the kernel has no Landlock"))
struct ConfinementTests {
    private let scratch: ScratchFolder
    private let launcher: String

    init() throws {
        scratch = try ScratchFolder(mode: 0o755)
        launcher = try BuiltProgram.path("proxyctl")
        for name in ["own/file", "data/key", "more/file", "rest/file"] {
            try scratch.write(name, "content")
        }
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/tmp", withIntermediateDirectories: false)
    }

    private func run(
        _ script: String,
        _ confinement: ConfinedCommand.Confinement = .confined(usesNetwork: false),
        limits: ConfinedCommand.Limits? = nil
    ) throws -> RunProgram {
        try run(["sh", "-c", script], confinement, limits: limits)
    }

    private func run(
        _ words: [String],
        _ confinement: ConfinedCommand.Confinement = .confined(usesNetwork: false),
        limits: ConfinedCommand.Limits? = nil
    ) throws -> RunProgram {
        let root = scratch.path
        return try RunProgram(
            ConfinedCommand(
                words, in: root + "/own", scratch: root + "/tmp", readable: [root + "/more"],
                hidden: [root + "/data"], confinement: confinement, limits: limits), by: launcher)
    }

    @Test(arguments: [
        ("cat file", "content"), ("cat ../more/file", "content"),
        ("echo a >$HOME/new && cat $HOME/new", "a\n"),
        ("mkdir $TMPDIR/f && rmdir $TMPDIR/f && echo done", "done\n"),
        ("head -c 1 /dev/zero | wc -c", "1\n"), ("echo a >/dev/null && echo done", "done\n"),
        ("test -r /etc/passwd && echo yes", "yes\n"), ("pwd | grep -c /own", "1\n"),
    ])
    func `a confined shell can read its permitted files and write to its scratch folder`(
        script: String, output: String
    ) throws {
        let run = try run(script)
        #expect(run.output == output && run.ending == .exited(0), "\(run.errors)")
    }

    @Test(arguments: [
        "cat ../data/key", "ls ../data", "cat ../rest/file", "ls ..", "echo a >file",
        "echo a >../more/file", "rm file", "mv file $HOME/", "ln -s ../data $HOME/l && ls $HOME/l/",
        "cat /proc/self/environ", "ls /tmp", "mkdir /tmp/proxyd-confined",
        "mknod $HOME/pipe p && mknod $HOME/null c 1 3", "touch $HOME/f && chmod 600 $HOME/f",
    ])
    func `a confined shell cannot use hidden files, mknod or chmod, or write to its working folder`(
        script: String
    ) throws {
        let run = try run(script)
        #expect(run.ending != .exited(0) && run.output == "", "\(run.output)")
        #expect(try scratch.content(of: "own/file") == Array("content".utf8))
    }

    @Test(
        .enabled(
            if: ((try? Landlock.version()) ?? 0) >= 6, "this kernel does not restrict signals"))
    func `a confined program cannot send signals to its parent process`() throws {
        #expect(try run("kill -0 $PPID").ending != .exited(0))
    }

    @Test func `an unconfined program can read and write what its user can`() throws {
        let run = try run("cat ../data/key ../rest/file; echo a >../own/new", .none)
        #expect(run.output == "contentcontent" && run.ending == .exited(0), "\(run.errors)")
    }

    @Test func `a confined program gets the resource limits of its command and cannot raise them`()
        throws
    {
        let limits = ConfinedCommand.Limits(memoryByteCount: 1 << 30, computingSeconds: 9)
        let run = try run("ulimit -d; ulimit -t; ulimit -n", limits: limits)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["1048576", "9"])
        #expect(lines.last.flatMap { Int($0) }.map { $0 <= 1_024 } == true)
        // Raising them again is not possible.
        #expect(try self.run("ulimit -t 10", limits: limits).ending != .exited(0))
    }

    @Test func `a confined program that exceeds its CPU time limit is killed`() throws {
        let limits = ConfinedCommand.Limits(memoryByteCount: 1 << 30, computingSeconds: 1)
        #expect(
            try run("while :; do :; done", limits: limits).ending
                == .killed(signal: SIGKILL))
    }

    @Test func `even an unconfined program is started with NoNewPrivs set`() throws {
        let run = try run("grep NoNewPrivs /proc/$$/status", .none)
        #expect(run.output == "NoNewPrivs:\t1\n")
    }

    @Test
    func `a confined command exits with 127 if its program is missing, 126 if not executable`()
        throws
    {
        let missing = try run(["no-such-program"])
        #expect(missing.ending == .exited(127))
        #expect(missing.errors.contains("no-such-program: No such file or directory"))
        let folder = try run(["/usr"])
        #expect(folder.ending == .exited(126) && folder.errors.contains("/usr: Permission denied"))
        #expect(folder.errors.contains("reads = […]"))
    }

    @Test
    func `a confined command whose working directory does not exist fails with 126 and names it`()
        throws
    {
        let run = try RunProgram(
            ConfinedCommand(
                ["true"], in: scratch.path + "/none", scratch: scratch.path, readable: [],
                hidden: [], confinement: .none), by: launcher)
        #expect(run.ending == .exited(126))
        #expect(run.errors.contains("it cannot be confined: \(scratch.path)/none: No such file"))
    }
}
