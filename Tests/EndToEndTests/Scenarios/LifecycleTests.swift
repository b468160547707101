import Foundation
import ProxydTestSupport
import Testing

/// Start, reload, service manager, and what the daemon says about itself.
struct LifecycleTests {
    @Test func `on SIGHUP, proxyd applies a changed configuration and ignores a broken one`() throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon()
        func status() throws -> String {
            try proxy.curl("-o", "/dev/null", "-w", "%{http_code}", origin.url("/")).text
        }
        #expect(try status() == "502")
        try proxy.reload(
            "[tls]\nunverified_hosts = [\"localhost\"]\n", until: "reloaded, keys changed: 1")
        #expect(try status() == "200")
        try proxy.reload("[tls]\nunverified_hosts = 3\n", until: "was not reloaded")
        #expect(proxy.service.errors.contains("proxyd.toml:2: "))
        #expect(try status() == "200")
        try proxy.reload("[threads]\nloop_count = 7\n", until: "in force after a restart")
    }

    @Test func `proxyd says which process listens at its address already`() throws {
        let server = try EchoServer()
        let folder = try ScratchFolder()
        let outcome = try Tool.run(
            try Tool.built("proxyd"),
            ["--listen", "127.0.0.1:\(server.port)", "--data-dir", folder.path + "/data"])
        #expect(outcome.status == 1)
        let words = /in use by \S+, process [0-9]+; choose another port/
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `proxyd logs its rules file and two commands to try when it starts`() throws {
        let proxy = try Daemon()
        try proxy.service.waitForLog("rules file: ")
        try proxy.service.waitForLog("try it: curl -x \(proxy.url) http://example.com/")
        try proxy.service.waitForLog("--cacert '\(proxy.certificatePath)' https://example.com/")
    }

    @Test
    func `proxyd --version lists its libraries; proxyctl --version has the same version number`()
        throws
    {
        let outcome = try Tool.run(try Tool.built("proxyd"), ["--version"])
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 5)
        for (line, name) in zip(lines, ["proxyd", "libevent", "OpenSSL", "SQLite", "jemalloc"]) {
            #expect(line.contains(/^\w+ \d+\.\d+\.\d+/), "\(line)")
            #expect(line.hasPrefix(name + " "))
        }
        // Both programs are released together.
        let other = try Tool.run(try Tool.built("proxyctl"), ["--version"])
        let number = /[0-9]+\.[0-9]+\.[0-9]+/
        #expect(
            other.text.firstMatch(of: number)?.output == lines[0].firstMatch(of: number)?.output)
        #expect(other.text.hasPrefix("proxyctl "))
    }

    @Test func `an exchange is recorded with the name and process ID of its client program`() throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        client.send("GET \(origin.url("/who")) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.read(until: "\"/who\"")
        // The answer of the kernel may come a little after the row.
        let row = try Eventually.value(orFail: "the program is not named") {
            let row = try proxy.row("path:/who")
            return row.isNull("pid") ? nil : row
        }
        #expect(row.int("pid") == Int(getpid()))
        let own = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        #expect(row.text("process").map { own.hasPrefix($0.prefix(15)) } == true)
    }

    @Test
    func `proxyd serves a socket from the service manager and notifies the manager when ready`()
        throws
    {
        let script = """
            import os, socket, subprocess, sys
            directory, program = sys.argv[1:]
            manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            manager.bind(directory + '/notify')
            listener = socket.create_server(('127.0.0.1', 0))
            env = dict(os.environ, LISTEN_FDS='1', NOTIFY_SOCKET=directory + '/notify')
            command = ['sh', '-c', 'LISTEN_PID=$$ exec "$0" --data-dir "$1"',
                       program, directory + '/data']
            # Only in the child: here descriptor 3 may be one of our own.
            child = subprocess.Popen(command, env=env, pass_fds=[3], stdout=subprocess.PIPE,
                                     preexec_fn=lambda: os.dup2(listener.fileno(), 3))
            try:
                line = child.stdout.readline().decode().strip()
                print(line == 'proxyd: listening on 127.0.0.1:%d' % listener.getsockname()[1])
                manager.settimeout(60)
                print('READY=1' in manager.recv(4096).decode())
                child.terminate()
                print('STOPPING=1' in manager.recv(4096).decode())
                print(child.wait())
            finally:
                child.kill()
            """
        let directory = try ScratchFolder()
        let outcome = try Tool.run(
            "python3", ["-c", script, directory.path, try Tool.built("proxyd")])
        #expect(outcome.text == "True\nTrue\nTrue\n0\n", "\(outcome.errors)")
    }

    @Test func `proxyctl status reports on a running proxyd and fails without one`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl(origin.url("/one"))
        _ = try proxy.row()
        let running = try proxy.proxyctl(["status", "--json"])
        #expect(running.status == 0)
        let status = try Row(json: running.text)
        #expect(status.int("pid") == Int(proxy.service.pid))
        #expect(status.int("finished_exchanges") == 1)
        #expect(proxy.stop() == 0)
        #expect(try proxy.proxyctl(["status"]).status == 1)
        #expect(try proxy.proxyctl(["list"]).text.contains("/one"))
    }

    @Test
    func `proxyctl mark sets notes, tags and pins, and proxyctl clear keeps pinned exchanges`()
        throws
    {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl(origin.url("/a"), origin.url("/b"), origin.url("/c"))
        let rows = try proxy.rows(count: 3)
        let first = String(rows[0].int("id") ?? 0)
        let mark = try proxy.proxyctl(
            ["mark", first, "--note", "look here", "--tag", "slow", "--pin"])
        #expect(mark.status == 0, "\(mark.errors)")
        let marked = try proxy.row("tag:slow")
        #expect(marked.text("note") == "look here")
        #expect(marked.object["pinned"] as? Bool == true)
        #expect(try proxy.proxyctl(["clear", "path:/b", "--yes"]).status == 0)
        #expect(try proxy.rows(count: 2).compactMap { $0.text("path") } == ["/a", "/c"])
        #expect(try proxy.proxyctl(["clear", "--yes"]).status == 0)
        #expect(try proxy.rows(count: 1).compactMap { $0.text("path") } == ["/a"])
    }

    @Test func `proxyctl tail prints new exchanges as they are recorded`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl(origin.url("/before"))
        _ = try proxy.row()
        let tail = try Service(
            try Tool.built("proxyctl"),
            ["--data-dir", proxy.directory, "tail", "--json", "path:/live"])
        // Requests until the follower has begun to follow; it shows nothing from before that.
        let stop = Stop()
        let thread = Thread {
            for number in 0..<600 where !stop.isSet {
                _ = try? proxy.curl(origin.url("/live\(number)"))
                usleep(20_000)
            }
        }
        thread.start()
        defer { stop.set() }
        let row = try Row(json: try tail.readLine())
        #expect(row.text("path")?.hasPrefix("/live") == true)
    }

    @Test func `proxyctl tail says that it waits if no proxyd is running`() throws {
        let proxy = try Daemon()
        #expect(proxy.stop() == 0)
        let tail = try Service(
            try Tool.built("proxyctl"), ["--data-dir", proxy.directory, "tail"])
        try tail.waitForLog("proxyctl: proxyd is not running; waiting")
    }

    @Test func `a damaged store is renamed at startup, and the log gives the new name`() throws {
        let data = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: data.path + "/data", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let store = data.path + "/data/captures.sqlite"
        try Data(repeating: 0xA5, count: 10_000).write(to: URL(fileURLWithPath: store))
        let proxy = try Daemon(data: data)
        #expect(proxy.stop() == 0)
        #expect(proxy.service.errors.contains("moved to \(store).corrupt-"))
    }

    @Test func `proxyctl sql reads the store but rejects statements that write`() throws {
        let origin = try Origin()
        let proxy = try Daemon()
        try proxy.curl(origin.url("/s?a=1"))
        _ = try proxy.row()
        let outcome = try proxy.proxyctl(
            ["sql", "SELECT method, value FROM exchanges JOIN parameter ON exchange_id = id"])
        #expect(outcome.text.contains("GET"))
        #expect(outcome.text.contains("1"))
        let refused = try proxy.proxyctl(["sql", "DELETE FROM exchange"])
        #expect(refused.status == 1)
        #expect(try proxy.rows(count: 1).count == 1)
    }
}

/// A flag between threads.
private final class Stop: @unchecked Sendable {
    // Proof: the one field is touched under the lock.
    private let lock = NSLock()
    private var flag = false
    var isSet: Bool { lock.withLock { flag } }
    func set() { lock.withLock { flag = true } }
}

extension Daemon {
    /// Writes another configuration, sends SIGHUP, and waits until the log says so.
    func reload(_ configuration: String, until line: String) throws {
        try configuration.write(
            toFile: data.path + "/proxyd.toml", atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        try service.waitForLog(line)
    }
}
