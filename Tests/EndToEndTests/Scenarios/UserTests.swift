import Foundation
import ProxydTestSupport
import Testing

/// Users of a listener, with the real program and curl.
struct UserTests {
    /// A folder with a users file, and a daemon that uses it.
    private final class Guarded {
        let folder: ScratchFolder
        let proxy: Daemon
        var file: String { folder.path + "/users" }

        init(_ more: String = "", users: [(name: String, password: String)]) throws {
            folder = try ScratchFolder()
            for user in users { try Self.add(user.name, user.password, to: folder.path + "/users") }
            proxy = try Daemon(
                configuration: Self.configuration(folder.path + "/users", more), data: folder)
        }

        static func configuration(_ file: String, _ more: String = "") -> String {
            "[listen]\nusers_file = \"\(file)\"\n\(more)"
        }

        @discardableResult
        static func add(_ name: String, _ password: String, to file: String) throws -> Tool.Outcome
        {
            let outcome = try Tool.run(
                try Tool.built("proxyctl"), ["user", "add", name, "--file", file],
                input: Data("\(password)\n".utf8))
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome
        }

        /// The status of a request, or of the CONNECT before it if that failed.
        func status(_ url: String, user: String? = nil, _ more: String...) throws -> String {
            let arguments = (user.map { ["-U", $0] } ?? []) + more
            let outcome = try Tool.run(
                "curl",
                [
                    "-sS", "--max-time", "60", "-x", proxy.url, "--cacert", proxy.certificatePath,
                    "-o", "/dev/null", "-w", "%{http_code} %{http_connect}", url,
                ] + arguments)
            let codes = outcome.text.split(separator: " ").map { String($0) }
            return codes.first { $0 != "000" && $0 != "200" } ?? codes.first ?? ""
        }

        /// Whether a text is in any file of the data directory or in what the daemon said.
        func hasLeaked(_ text: String) throws -> Bool {
            let found = try Tool.run("grep", ["-r", "-l", "-a", "-F", "-e", text, proxy.directory])
            return !found.text.isEmpty || proxy.service.errors.contains(text)
        }
    }

    @Test
    func `users with the right password can send requests and open tunnels, others get a 407`()
        throws
    {
        let certificate = try TestCertificate()
        let plain = try Origin()
        let secure = try Origin(tls: certificate)
        let guarded = try Guarded(
            "[tls]\nunverified_hosts = [\"localhost\"]\n", users: [("alice", "se:kr3t-Pa55")])
        for url in [plain.url("/a"), secure.url("/b")] {
            #expect(try guarded.status(url) == "407")
            #expect(try guarded.status(url, user: "alice:wr0ng:1x9q") == "407")
            #expect(try guarded.status(url, user: "bob:n0b0dy-kn0ws") == "407")
            #expect(try guarded.status(url, user: "alice:se:kr3t-Pa55") == "200")
            #expect(try guarded.status(url, user: "alice:se:kr3t-Pa55", "--proxy-anyauth") == "200")
        }
        let served = try guarded.proxy.rows("user=alice", count: 4)
        #expect(served.count == 4)
        #expect(served.allSatisfy { $0.int("status") == 200 })
        let refused = try guarded.proxy.rows("status=407", count: 8)
        #expect(refused.count == 8)
        #expect(refused.allSatisfy { $0.isNull("user") && !$0.isNull("error") })
        let whole = try guarded.proxy.show(served[0])
        #expect(whole.text("mode") == "proxy")
        #expect(whole.text("listener")?.hasPrefix("127.0.0.1:") == true)
        for secret in ["alice:se:kr3t-Pa55", "alice:wr0ng:1x9q", "bob:n0b0dy-kn0ws"] {
            let token = Data(secret.utf8).base64EncodedString()
            #expect(try !guarded.hasLeaked(token), "\(secret)")
            #expect(try !guarded.hasLeaked(String(secret.split(separator: ":").last ?? "")))
        }
        #expect(guarded.proxy.stop() == 0)
        #expect(try !guarded.hasLeaked(Data("alice:se:kr3t-Pa55".utf8).base64EncodedString()))
        let reports = guarded.proxy.service.errors.split(separator: "\n")
            .filter { $0.contains("wrong user names or passwords") }
        #expect(reports.count == 1)
    }

    @Test func `curl repeats a POST after a 407 on the same connection`() throws {
        let origin = try Origin()
        let guarded = try Guarded(users: [("alice", "secret")])
        let outcome = try Tool.run(
            "curl",
            [
                "-sS", "--max-time", "60", "-x", guarded.proxy.url, "--proxy-anyauth", "-U",
                "alice:secret", "-d", "hello", "-o", "/dev/null", "-w",
                "%{http_code} %{num_connects}", origin.url("/post"),
            ])
        #expect(outcome.text == "200 1")
    }

    @Test func `a reload applies a changed users file, and a broken one changes nothing`() throws {
        let origin = try Origin()
        let guarded = try Guarded(users: [("alice", "one")])
        func status(_ user: String) throws -> String {
            try guarded.status(origin.url("/"), user: user)
        }
        #expect(try status("alice:one") == "200")
        try Guarded.add("alice", "two", to: guarded.file)
        try Guarded.add("bob", "three", to: guarded.file)
        let configuration = Guarded.configuration(guarded.file)
        try guarded.proxy.reload(configuration, until: "configuration reloaded")
        #expect(try status("alice:one") == "407")
        #expect(try status("alice:two") == "200")
        #expect(try status("bob:three") == "200")
        try "bob:$apr1$x$y\n".write(toFile: guarded.file, atomically: false, encoding: .utf8)
        try guarded.proxy.reload(configuration, until: "was not reloaded")
        #expect(guarded.proxy.service.errors.contains("\(guarded.file):1: apr1 (MD5)"))
        #expect(try status("alice:two") == "200")
        // A file that is empty has no users, which is not the same as none being needed.
        try "".write(toFile: guarded.file, atomically: false, encoding: .utf8)
        try guarded.proxy.reload(
            configuration + "[recording]\nretention_age_days = 9\n",
            until: "configuration reloaded, keys changed: 1")
        #expect(try status("alice:two") == "407")
    }

    @Test func `thousands of wrong passwords neither block valid users nor fill proxyd's memory`()
        throws
    {
        let origin = try Origin()
        let guarded = try Guarded(users: [("alice", "secret"), ("bob", "other")])
        let flood = """
            import base64, socket, sys, threading
            port = int(sys.argv[1])
            def run(first):
                for n in range(first, first + 250):
                    s = socket.create_connection(('127.0.0.1', port), 60)
                    token = base64.b64encode(b'%s:%d' % (b'alice' if n % 2 else b'u%d' % n, n))
                    s.sendall(b'GET http://127.0.0.1:1/ HTTP/1.1\\r\\nHost: x\\r\\n'
                              b'Connection: close\\r\\nProxy-Authorization: Basic ' + token +
                              b'\\r\\n\\r\\n')
                    if n % 5: assert s.recv(12) == b'HTTP/1.1 407', n
                    s.close()
            threads = [threading.Thread(target=run, args=(n * 250,)) for n in range(12)]
            for t in threads: t.start()
            for t in threads: t.join()
            print('done')
            """
        let before = try guarded.proxy.residentKiB()
        let outcome = try Tool.run("python3", ["-c", flood, String(guarded.proxy.port)])
        #expect(outcome.text == "done\n", "\(outcome.errors)")
        #expect(try guarded.status(origin.url("/"), user: "bob:other") == "200")
        #expect(try guarded.status(origin.url("/"), user: "alice:secret") == "200")
        #expect(try guarded.proxy.residentKiB() - before < 64 << 10)
    }

    @Test(.enabled(if: Tool.find("node") != nil, "node is not installed"))
    func `requests and tunnels over HTTP/2 also need a user and password`() throws {
        let origin = try Origin()
        let guarded = try Guarded(users: [("alice", "secret")])
        let script = """
            const http2 = require('http2'), [port, target] = process.argv.slice(1);
            const session = http2.connect('http://127.0.0.1:' + port);
            const right = 'Basic ' + Buffer.from('alice:secret').toString('base64');
            const wrong = 'Basic ' + Buffer.from('alice:no').toString('base64');
            const ask = (fields) => new Promise((resolve) => {
              const stream = session.request(fields);
              stream.on('response', (head) => { resolve(head[':status']); stream.close(); });
              stream.on('error', () => resolve('error'));
              if (fields[':path']) stream.end();
            });
            (async () => {
              const out = [];
              for (const value of [undefined, wrong, right]) {
                const field = value ? { 'proxy-authorization': value } : {};
                out.push(await ask({ ':method': 'GET', ':scheme': 'http', ':path': '/ca.pem',
                                     ':authority': 'proxyd.local', ...field }));
                out.push(await ask({ ':method': 'CONNECT', ':authority': target, ...field }));
              }
              console.log(out.join(' '));
              session.close();
            })();
            """
        let target = try #require(origin.url("/").split(separator: "/").dropFirst().first)
        let outcome = try Tool.run(
            "node", ["-e", script, String(guarded.proxy.port), String(target)])
        #expect(outcome.text == "407 407 407 407 200 200\n", "\(outcome.errors)")
        let row = try guarded.proxy.row("method=CONNECT user=alice")
        #expect(row.text("http_version") == "HTTP/2")
        #expect(try guarded.proxy.rows("status=407", count: 4).count == 4)
        #expect(guarded.proxy.stop() == 0)
        #expect(try !guarded.hasLeaked(Data("alice:secret".utf8).base64EncodedString()))
    }

    @Test(arguments: [
        ("alice:$apr1$x$y", "1: apr1 (MD5) is not accepted"),
        ("# users\nalice:secret", "2: a password in plain text is not accepted"),
        ("alice", "1: expected NAME:HASH"),
    ])
    func `a mistake in the users file is reported with its line and exit status 78`(
        text: String, message: String
    ) throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/users"
        _ = FileManager.default.createFile(
            atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        try check(folder, file, message: "\(file):\(message)")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        try check(folder, file, message: "\(file): others may read it")
        try FileManager.default.removeItem(atPath: file)
        try check(folder, file, message: "\(file): cannot be read: No such file")
    }

    private func check(_ folder: ScratchFolder, _ file: String, message: String) throws {
        let configuration = folder.path + "/proxyd.toml"
        try Guarded.configuration(file).write(
            toFile: configuration, atomically: true, encoding: .utf8)
        for more in [["--check-config"], []] {
            let outcome = try Tool.run(
                try Tool.built("proxyd"),
                [
                    "--config", configuration, "--listen", "127.0.0.1:0", "--data-dir",
                    folder.path + "/data",
                ] + more)
            #expect(outcome.status == 78)
            #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
            #expect(!outcome.errors.contains("secret"))
        }
    }

    @Test func `proxyctl adds, lists and removes users`() throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/users"
        let configuration = folder.path + "/proxyd.toml"
        try Guarded.configuration(file).write(
            toFile: configuration, atomically: true, encoding: .utf8)
        func user(_ arguments: String..., input: String = "") throws -> Tool.Outcome {
            try Tool.run(
                try Tool.built("proxyctl"), ["user"] + arguments + ["--config", configuration],
                input: Data(input.utf8))
        }
        #expect(try user("add", "alice", input: "pass\n").text == "added alice to \(file)\n")
        #expect(try user("add", "bob", input: "pass").status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("alice:$y$") && text.contains("\nbob:$y$"))
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try user("add", "alice", input: "new\n").text == "set a new password for alice\n")
        #expect(try user("list").text == "alice\tyescrypt\nbob\tyescrypt\n")
        #expect(try user("remove", "alice").status == 0)
        #expect(try user("remove", "alice").status == 1)
        #expect(try user("list").text == "bob\tyescrypt\n")
        for (name, input) in [("a:b", "x"), ("", "x"), ("carol", ""), ("carol", "a\0b")] {
            #expect(try user("add", name, input: input).status != 0, "\(name)")
        }
        #expect(try user("list").text == "bob\tyescrypt\n")
    }
}
