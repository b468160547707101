import Foundation
import ProxydTestSupport
import Testing

/// What scripts of rules can see of the machine, and what they cannot.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: ScriptedDaemon.isPossible, "there is no Python, or the kernel has no Landlock"))
struct ScriptConfinementTests {
    private static let rules = """
        [[rule]]
        name = "r"
        request = [{ run = "s" }]
        """

    /// A script that evaluates what is in `ask.txt` beside it, and tells the name of the
    /// error or what came of it.
    private static let evaluator = """
        try:
            said = repr(eval(open("ask.txt").read()))
        except Exception as error:
            said = type(error).__name__
        a["respond"] = {"status": 200, "text": said}
        """

    private static func scripted(
        options: String = "", configuration: String = ""
    ) throws -> ScriptedDaemon {
        try ScriptedDaemon(
            evaluator, rules: rules, options: options, configuration: configuration)
    }

    private func evaluate(_ expression: String, in scripted: ScriptedDaemon) throws -> String {
        try expression.write(
            toFile: scripted.folder + "/ask.txt", atomically: false, encoding: .utf8)
        return try scripted.ask()
    }

    @Test
    func `a rule's script can read system files and its folder, and write to a scratch folder`()
        throws
    {
        let scripted = try ScriptConfinementTests.scripted()
        let scratch = scripted.daemon.directory + "/scripts/s"
        for (expression, said) in [
            ("os.getcwd()", "'\(scripted.folder)'"),
            ("len(open('hook.py').read()) > 0", "True"),
            ("len(open('/etc/passwd').read()) > 0", "True"),
            ("open('/dev/null', 'w').write('a')", "1"),
            ("open(os.environ['HOME'] + '/own', 'w').write('abc')", "3"),
            ("open(os.environ['HOME'] + '/own').read()", "'abc'"),
            ("os.environ['TMPDIR']", "'\(scratch)'"),
            ("open('new', 'w')", "PermissionError"), ("open('hook.py', 'a')", "PermissionError"),
            ("os.mkdir('/tmp/new')", "PermissionError"),
            ("os.remove('ask.txt')", "PermissionError"),
            ("os.rename('ask.txt', os.environ['HOME'] + '/a')", "PermissionError"),
            ("os.chmod('hook.py', 0o777)", "PermissionError"),
            ("os.utime('hook.py')", "PermissionError"),
            ("__import__('ctypes').CDLL(None).inotify_init()", "-1"),
            ("open('/proc/self/environ')", "PermissionError"),
            ("os.listdir('/var/log')", "PermissionError"),
        ] {
            #expect(try evaluate(expression, in: scripted) == said, "\(expression)")
        }
    }

    @Test
    func `a rule's script cannot access the CA, the store, the control socket or proxyd itself`()
        throws
    {
        let scripted = try ScriptConfinementTests.scripted()
        let data = scripted.daemon.directory
        // They are there, and its user may read them.
        for file in ["ca/ca-key.pem", "captures.sqlite"] {
            #expect(FileManager.default.isReadableFile(atPath: "\(data)/\(file)"), "\(file)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        #expect(names.contains { $0.hasSuffix(".sock") })
        for (expression, said) in [
            ("open('\(data)/ca/ca-key.pem')", "PermissionError"),
            ("open('\(data)/captures.sqlite')", "PermissionError"),
            ("os.listdir('\(data)')", "PermissionError"),
            ("os.symlink('\(data)/ca', os.environ['HOME'] + '/link')", "None"),
            ("os.listdir(os.environ['HOME'] + '/link')", "PermissionError"),
            ("os.link('\(data)/ca/ca-key.pem', os.environ['HOME'] + '/key')", "OSError"),
            ("socket.socket(socket.AF_UNIX)", "PermissionError"),
            ("socket.socket(socket.AF_INET)", "PermissionError"),
            ("len(socket.socketpair())", "2"),
            ("os.kill(\(scripted.daemon.service.pid), 0)", "PermissionError"),
            (
                "__import__('resource').prlimit(\(scripted.daemon.service.pid), 7, (9, 9))",
                "PermissionError"
            ),
        ] {
            #expect(try evaluate(expression, in: scripted) == said, "\(expression)")
        }
    }

    @Test
    func `a rule's script inherits no environment, file descriptors or ignored signals of proxyd`()
        throws
    {
        let scripted = try ScriptConfinementTests.scripted()
        #expect(
            try evaluate("sorted(os.environ)", in: scripted)
                == "['HOME', 'LANG', 'PATH', 'PYTHONUNBUFFERED', 'TMPDIR']")
        // Of what is tried to be duplicated, what is open can be; 3 is the file of this question.
        let tried = """
            (lambda c: [n for n in range(4, 1024) if c.fcntl(n, 1, 0) != -1])\
            (__import__('ctypes').CDLL(None))
            """
        #expect(try evaluate(tried, in: scripted) == "[]")
        #expect(try evaluate("os.getpgrp() == os.getppid()", in: scripted) == "True")
        let signals = "[s for s in (13, 15) if __import__('signal').getsignal(s) == 1]"
        // Python itself ignores SIGPIPE.
        #expect(try evaluate(signals, in: scripted) == "[13]")
    }

    @Test func `the configuration of a rule's script can allow it network access and more folders`()
        throws
    {
        let scripted = try ScriptConfinementTests.scripted(
            options: "network = true\nreads = [\"/var/log\"]")
        #expect(try evaluate("socket.socket(socket.AF_INET).close()", in: scripted) == "None")
        #expect(try evaluate("socket.socket(socket.AF_UNIX)", in: scripted) == "PermissionError")
        #expect(try evaluate("len(os.listdir('/var/log')) > 0", in: scripted) == "True")
        #expect(try evaluate("os.listdir('/var/lib')", in: scripted) == "PermissionError")
    }

    @Test func `a rule's script that is allowed the network can resolve host names`() throws {
        let scripted = try ScriptConfinementTests.scripted(options: "network = true")
        let looked = "socket.getaddrinfo('localhost', 80)[0][4][1]"
        #expect(try evaluate(looked, in: scripted) == "80")
    }

    @Test func `when proxyd is killed, rule scripts and their child processes exit too`() throws {
        let scripted = try ScriptConfinementTests.scripted()
        // A child that ignores signals, and one whose parent has ended, say their numbers.
        let program = """
            (lambda r, w: (os.fork() or (__import__('signal').signal(15, 1), os.fork(), \
            os.write(w, b'%9d ' % os.getpid()), time.sleep(600)), \
            os.fork() or (os.fork() and os._exit(0), os.write(w, b'%9d ' % os.getpid()), \
            time.sleep(600)), os.getpid(), [os.read(r, 10) for _ in range(3)])[2:])(*os.pipe())
            """
        let said = try evaluate(program, in: scripted)
        let numbers = said.split { !$0.isNumber }.compactMap { pid_t($0) }
        try #require(numbers.count == 4, "\(said)")
        for number in numbers { #expect(kill(number, 0) == 0) }
        scripted.daemon.service.signal(SIGKILL)
        _ = scripted.daemon.service.waitForExit()
        for number in numbers {
            try Eventually.isTrue(orFail: "\(number) goes on") {
                let state = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
                return state?.contains(") Z") ?? true
            }
        }
    }

    @Test func `a rule's script cannot allocate more memory than its configured limit`() throws {
        let big = "len(bytearray(1500 << 20))"
        let usual = try ScriptConfinementTests.scripted()
        #expect(try evaluate(big, in: usual) == "MemoryError")
        let small = try ScriptConfinementTests.scripted(options: "memory_mib = 64")
        #expect(try evaluate("len(bytearray(100 << 20))", in: small) == "MemoryError")
        // Memory that is not touched: to fill 1.5 GiB may take longer than a script has.
        let untouched = "len(__import__('mmap').mmap(-1, 1500 << 20, flags=0x22))"
        #expect(try evaluate(untouched, in: usual) == "OSError")
        let large = try ScriptConfinementTests.scripted(options: "memory_mib = 4096")
        #expect(try evaluate(untouched, in: large) == String(1_500 << 20))
    }

    /// Has children, each of which takes memory and lives on; then waits for what does not come.
    private static func children(_ count: Int, taking mebibyteCount: Int) -> String {
        """
        ([os.fork() or (bytearray(\(mebibyteCount) << 20), time.sleep(600)) \
        for _ in range(\(count))], time.sleep(600))
        """
    }

    @Test func `a rule's script is killed if its child processes exceed the memory limit`() throws {
        let scripted = try ScriptConfinementTests.scripted(options: "memory_mib = 200")
        let answer = try evaluate(ScriptConfinementTests.children(4, taking: 80), in: scripted)
        // The request went on to its server.
        #expect(answer == "ok")
        try scripted.waitForLog(
            "script s: proxyd: it had more than 200 MiB of memory, and was ended")
        try scripted.waitForLog("script s: it was ended by signal 9")
    }

    @Test func `a rule's script is killed if it has more processes than its limit`() throws {
        let scripted = try ScriptConfinementTests.scripted()
        #expect(try evaluate(ScriptConfinementTests.children(200, taking: 0), in: scripted) == "ok")
        try scripted.waitForLog("it had more than 128 processes and threads, and was ended")
        let many = try ScriptConfinementTests.scripted(options: "processes = 400")
        let script = "len([os.fork() or time.sleep(600) for _ in range(200)])"
        #expect(try evaluate(script, in: many) == "200")
        let number = try evaluate("os.getpid()", in: many)
        #expect(try evaluate("(time.sleep(0.3), os.getpid())[1]", in: many) == number)
    }

    @Test func `an unconfined rule script can write files and open sockets like its user`() throws {
        let scripted = try ScriptConfinementTests.scripted(
            configuration: "[scripts]\nunconfined = true\n")
        #expect(try evaluate("open('new', 'w').write('a')", in: scripted) == "1")
        #expect(try evaluate("socket.socket(socket.AF_UNIX).close()", in: scripted) == "None")
        #expect(
            try evaluate("sorted(os.environ)", in: scripted)
                == "['HOME', 'LANG', 'PATH', 'PYTHONUNBUFFERED', 'TMPDIR']")
    }

    @Test
    func `if the kernel has no Landlock, rule scripts are rejected unless they run unconfined`()
        throws
    {
        let launcher = ScriptConfinementTests.refusing([444], ENOSYS)
        let scripted = try ScriptedDaemon(
            "a['respond'] = {'status': 200, 'text': 'unconfined'}",
            rules: ScriptConfinementTests.rules,
            configuration: "[scripts]\nunconfined = true\n", launcher: launcher)
        #expect(try scripted.ask() == "unconfined")
        let file = scripted.folder + "/strict.toml"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        for check in [["--check-config"], ["--listen", "127.0.0.1:0"]] {
            let proxyd = [try Tool.built("proxyd"), "--config", file]
            let command =
                launcher + proxyd + ["--data-dir", scripted.folder + "/other"] + check
            let outcome = try Tool.run(command[0], Array(command.dropFirst()))
            #expect(outcome.status == 78)
            #expect(
                outcome.errors.contains(
                    "rules.toml:1: script s is not run: this kernel has no Landlock, so it "
                        + "cannot be confined; scripts.unconfined = true"), "\(outcome)")
        }
    }

    /// A service manager refuses calls to a service that has no capabilities.
    @Test
    func `a rule's script runs even if proxyd may not change capabilities or CPU affinity`()
        throws
    {
        #if arch(x86_64)
            let calls = [126, 141, 203]  // capset, setpriority, sched_setaffinity
        #else
            let calls = [91, 140, 122]
        #endif
        let scripted = try ScriptedDaemon(
            ScriptConfinementTests.evaluator, rules: ScriptConfinementTests.rules,
            launcher: ScriptConfinementTests.refusing(calls, EPERM))
        #expect(try evaluate("1 + 1", in: scripted) == "2")
        #expect(try evaluate("os.listdir('/var/lib')", in: scripted) == "PermissionError")
    }

    /// A command that runs the one behind it without capabilities, and where some system calls
    /// fail.
    private static func refusing(_ calls: [Int], _ error: Int32) -> [String] {
        let script = """
            import ctypes, os, struct, sys
            lines = [(0x20, 0, 0, 0)]
            for call in \(calls):
                lines += [(0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | \(error))]
            lines.append((0x06, 0, 0, 0x7FFF0000))
            code = b"".join(struct.pack("HBBI", *line) for line in lines)
            buffer = ctypes.create_string_buffer(code)
            program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
            libc = ctypes.CDLL(None, use_errno=True)
            for number in range(64): libc.prctl(24, number, 0, 0, 0)
            assert libc.prctl(38, 1, 0, 0, 0) == 0
            assert libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
            os.execv(sys.argv[1], sys.argv[1:])
            """
        return [ScriptedDaemon.python, "-c", script]
    }

    @Test func `a rule's script in the data directory or writable by other users is rejected`()
        throws
    {
        let data = try ScratchFolder()
        try ScriptedDaemon.write("", to: data.path)
        try ScriptedDaemon.write(
            rules: ScriptConfinementTests.rules, options: "", to: data.path)
        let file = data.path + "/proxyd.toml"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        func check(_ directory: String) throws -> Tool.Outcome {
            try Tool.run(
                try Tool.built("proxyd"),
                ["--config", file, "--data-dir", directory, "--check-config"])
        }
        let inside = try check(data.path)
        #expect(inside.status == 78)
        #expect(
            inside.errors.contains("the folder of the rules file is in the data directory"),
            "\(inside)")
        #expect(try check(data.path + "/data").status == 0)
        chmod(data.path + "/hook.py", 0o664)
        let writable = try check(data.path + "/data")
        #expect(writable.status == 78)
        #expect(writable.errors.contains("hook.py is writable by others"), "\(writable)")
    }
}
