import Foundation
import ProxydTestSupport
import Testing

/// The daemon does all its work under the restrictions of its systemd unit, and they hold.
///
/// systemd does not run where tests do; bubblewrap makes the same restrictions.
@Suite(
    .enabled(
        if: Sandbox.isAvailable,
        "bubblewrap is not installed, may make no namespaces, or this is no x86-64"))
struct SandboxTests {
    @Test
    func `proxyd proxies, intercepts, records and stops under its systemd unit's restrictions`()
        throws
    {
        let certificate = try TestCertificate()
        let plain = try Origin()
        let secured = try Origin(tls: certificate)
        let data = try ScratchFolder()
        let proxy = try Daemon(
            trusting: certificate, data: data, launcher: Sandbox.launcher(writing: data.path))
        #expect(try proxy.curl("-d", "a=1", plain.url("/plain")).status == 0)
        #expect(try proxy.curl("-d", "b=2", secured.url("/secured")).status == 0)
        let rows = try proxy.rows("method=POST", count: 2)
        #expect(rows.allSatisfy { $0.int("status") == 200 })
        let pid = try #require(Sandbox.program(in: proxy.service.pid))
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        for fact in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000"] {
            #expect(status.contains(fact), "\(fact)")
        }
        kill(pid, SIGHUP)
        try proxy.service.waitForLog("configuration reloaded")
        kill(pid, SIGTERM)
        #expect(proxy.service.waitForExit() == 0)
        #expect(proxy.service.errors.contains("stopped"))
    }

    @Test(arguments: [
        ("echo a > DATA/inside", true), ("echo a > /etc/outside", false),
        ("echo a > /tmp/outside", false), ("echo a > /var/tmp/outside", false),
        ("\(Sandbox.python) 'socket.socket(socket.AF_INET)'", true),
        ("\(Sandbox.python) 'socket.socket(socket.AF_UNIX)'", true),
        ("\(Sandbox.python) 'socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'", false),
        ("\(Sandbox.python) 'socket.socket(40, socket.SOCK_STREAM)'", false),
        ("\(Sandbox.python) 'mmap.mmap(-1, 4096, prot=3)'", true),
        ("\(Sandbox.python) 'mmap.mmap(-1, 4096, prot=7)'", false),
        ("\(Sandbox.python) 'os.setuid(0)'", false),
        ("\(Sandbox.python) 'os.chroot(\"/\")'", false),
    ])
    func `the systemd unit's restrictions deny forbidden operations and allow the needed ones`(
        command: String, isAllowed: Bool
    ) throws {
        let data = try ScratchFolder()
        let launcher = try Sandbox.launcher(writing: data.path)
        let command = command.replacing("DATA", with: data.path)
        let outcome = try Tool.run(
            launcher[0], Array(launcher.dropFirst()) + ["/bin/sh", "-c", command])
        #expect((outcome.status == 0) == isAllowed, "\(command): \(outcome.errors)")
    }
}

/// What makes the unit's restrictions; see Servers/sandbox.py.
private enum Sandbox {
    static let python = "/usr/bin/python3 -c 'import mmap,os,socket,sys; eval(sys.argv[1])'"

    static let isAvailable: Bool = {
        #if arch(x86_64)
            let probe = try? Tool.run("bwrap", ["--ro-bind", "/", "/", "/bin/true"])
            return probe?.status == 0
        #else
            return false
        #endif
    }()

    /// A command that runs the one behind it restricted, with one directory to write to.
    static func launcher(writing directory: String) throws -> [String] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        let script = tests.appendingPathComponent("Servers/sandbox.py").path
        let unit = tests.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("systemd/proxyd.service").path
        return ["/usr/bin/python3", script, unit, directory]
    }

    /// The program that bubblewrap watches over.
    static func program(in pid: Int32) -> Int32? {
        let children = try? String(
            contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return children?.split(separator: " ").compactMap { Int32($0) }.first
    }
}
