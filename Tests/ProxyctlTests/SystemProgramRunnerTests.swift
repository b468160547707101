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

    @Test func `the program runner returns a program's exit code, output and errors separately`() {
        let result = shell("echo out; echo err >&2; exit 7")
        #expect(
            result
                == ProgramResult(
                    exitCode: 7, output: Array("out\n".utf8), errors: Array("err\n".utf8)))
    }

    @Test
    func `the program runner reads large output and errors at the same time without deadlock`() {
        let count = 1_000_000
        let result = shell("head -c \(count) /dev/zero; head -c \(count) /dev/zero >&2")
        #expect(result?.output.count == count)
        #expect(result?.errors.count == count)
    }

    @Test
    func `the program runner reports a signal as exit code 128 plus its number, as shells do`() {
        #expect(shell("kill -TERM $$")?.exitCode == 128 + SIGTERM)
    }

    @Test
    func `the program runner passes empty input, the given environment and no blocked signals`() {
        #expect(shell("cat; echo $NAME", environment: ["NAME": "value"])?.outputText == "value\n")
        let blocked = shell("grep SigBlk: /proc/self/status")?.outputText
        #expect(blocked?.split(whereSeparator: \.isWhitespace).last == "0000000000000000")
    }

    @Test func `the program runner waits for a program that closes its output early`() {
        #expect(shell("exec >/dev/null 2>&1; seq 1000000; exit 3")?.exitCode == 3)
    }

    @Test func `the program runner returns nil for a missing or non-executable file`() throws {
        let scratch = try ScratchFolder()
        let text = try scratch.write("text", "no program")
        #expect(runner.run("\(scratch.path)/none", []) == nil)
        #expect(runner.run(text, []) == nil)
    }
}
