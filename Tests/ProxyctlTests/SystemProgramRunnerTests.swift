import Foundation
import ProxydTestSupport
import Testing

@testable import proxyctl

/// Programs of this system as proxyctl runs them.
struct SystemProgramRunnerTests {
    private let runner = SystemProgramRunner()

    private func shell(_ script: String, environment: [String: String]? = nil) -> ProgramResult? {
        runner.run("/bin/sh", ["-c", script], environment: environment)
    }

    @Test func `running a child process returns its exit code, stdout and stderr separately`() {
        let result = shell("echo out; echo err >&2; exit 7")
        #expect(
            result
                == ProgramResult(
                    exitCode: 7, output: Array("out\n".utf8), errors: Array("err\n".utf8)))
    }

    @Test
    func `large stdout and stderr of a child process are read at the same time without deadlock`() {
        let count = 1_000_000
        let result = shell("head -c \(count) /dev/zero; head -c \(count) /dev/zero >&2")
        #expect(result?.output.count == count)
        #expect(result?.errors.count == count)
    }

    @Test
    func `a child process killed by a signal has exit code 128 plus the signal, as in shells`() {
        #expect(shell("kill -TERM $$")?.exitCode == 128 + SIGTERM)
    }

    @Test
    func `a child process gets empty stdin, the given environment and no blocked signals`() {
        #expect(shell("cat; echo $NAME", environment: ["NAME": "value"])?.outputText == "value\n")
        let blocked = shell("grep SigBlk: /proc/self/status")?.outputText
        #expect(blocked?.split(whereSeparator: \.isWhitespace).last == "0000000000000000")
    }

    @Test func `the exit of a child process is awaited even if it closes its stdout early`() {
        #expect(shell("exec >/dev/null 2>&1; seq 1000000; exit 3")?.exitCode == 3)
    }

    @Test func `starting a child process from a missing or non-executable file returns nil`() throws
    {
        let scratch = try ScratchFolder()
        let text = try scratch.write("text", "no program")
        #expect(runner.run("\(scratch.path)/none", []) == nil)
        #expect(runner.run(text, []) == nil)
    }
}
