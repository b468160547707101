import Foundation
import ProxydTestSupport
import Testing

/// What the other tests rely on when they start programs.
struct ChildProcessTests {
    @Test func `a child process of the tests inherits no open files but the standard streams`()
        throws
    {
        let held = (0..<20).map { _ in dup(STDOUT_FILENO) }
        defer { for descriptor in held { close(descriptor) } }
        // The shell itself opens none for this.
        let outcome = try Tool.run("/bin/sh", ["-c", "echo /proc/$$/fd/*"])
        let names = outcome.text.split { $0.isWhitespace }.map { $0.split(separator: "/").last }
        #expect(Set(names.compactMap { $0 }).isSubset(of: ["0", "1", "2", "3"]), "\(outcome.text)")
    }

    @Test func `a background process that a child process of the tests leaves behind is killed`()
        throws
    {
        let outcome = try Tool.run("/bin/sh", ["-c", "sleep 600 & echo $!"], seconds: 60)
        let left = try #require(Int32(outcome.text.trimmingCharacters(in: .newlines)))
        // Killed, it is there until someone has waited for it.
        try Eventually.isTrue(orFail: "it was not killed") {
            try kill(left, 0) != 0 || isZombie(left)
        }
    }

    private func isZombie(_ pid: Int32) throws -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
            return true
        }
        return status.contains(") Z ")
    }

    @Test
    func `a child process of the tests is killed after its time limit, and its output reported`()
        throws
    {
        #expect {
            try Tool.run("/bin/sh", ["-c", "echo so far >&2; exec sleep 600"], seconds: 0.5)
        } throws: { "\($0)".contains("did not end") && "\($0)".contains("so far") }
    }

    @Test
    func `the status of a child process of the tests is its exit status or its signal's number`()
        throws
    {
        #expect(try Tool.run("/bin/sh", ["-c", "exit 7"]).status == 7)
        #expect(try Tool.run("/bin/sh", ["-c", "kill -9 $$"]).status == 9)
    }
}
