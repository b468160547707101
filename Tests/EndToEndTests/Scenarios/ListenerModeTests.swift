import Foundation
import ProxydTestSupport
import Testing

/// Listeners as the configuration, the command line and the service manager have them.
struct ListenerModeTests {
    @Test
    func `mistakes in a listener's configuration are reported with their lines and exit status 78`()
        throws
    {
        let directory = try ScratchFolder()
        let file = directory.path + "/proxyd.toml"
        try """
        [[listener]]
        mode = "socks"
        address = "127.0.0.1:0"
        tproxy = true
        [[listener]]
        mode = "reverse"
        address = "127.0.0.1:0"
        to = "https://origin.test"
        certificate = "\(directory.path)/none.pem"
        key = "\(directory.path)/none.key"

        """.write(toFile: file, atomically: true, encoding: .utf8)
        for check in [["--check-config"], []] {
            let outcome = try Tool.run(
                try Tool.built("proxyd"),
                ["--config", file, "--data-dir", directory.path + "/data"] + check)
            #expect(outcome.status == 78)
            #expect(
                outcome.errors == """
                    \(file):4: tproxy is only for mode = "transparent"
                    \(file):9: certificate: cannot read \(directory.path)/none.pem

                    """)
        }
    }

    @Test func `--listen flags can create proxy, SOCKS and reverse proxy listeners`() throws {
        let origin = try Origin()
        let directory = try ScratchFolder()
        let flags = [
            "socks://127.0.0.1:0", "reverse://127.0.0.1:\(origin.port)@127.0.0.1:0?plain",
            "127.0.0.1:0",
        ].flatMap { ["--listen", $0] }
        let service = try Service(
            try Tool.built("proxyd"), flags + ["--data-dir", directory.path + "/data"])
        let ports = try (0..<3).map { _ in
            Int(try service.readLine().split(separator: ":").last ?? "") ?? 0
        }
        let url = origin.url("/echo")
        #expect(try curl("-x", "socks5h://127.0.0.1:\(ports[0])", url) == "200")
        #expect(try curl("http://127.0.0.1:\(ports[1])/echo") == "200")
        #expect(try curl("-x", "http://127.0.0.1:\(ports[2])", url) == "200")
        service.signal(SIGTERM)
        #expect(service.waitForExit() == 0)
    }

    @Test func `proxyctl transparent --print is about the listeners of the running proxyd`()
        throws
    {
        let folder = try ScratchFolder()
        let data = folder.path + "/data"
        let service = try Service(
            try Tool.built("proxyd"),
            ["--listen", "transparent://127.0.0.1:0", "--data-dir", data])
        let port = try service.readLine().split(separator: ":").last ?? ""
        let outcome = try Tool.run(
            try Tool.built("proxyctl"), ["--data-dir", data, "transparent", "--print"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("redirect to :\(port)\n"), "\(outcome.text)")
        service.signal(SIGTERM)
        #expect(service.waitForExit() == 0)
    }

    private func curl(_ arguments: String...) throws -> String {
        try Tool.run(
            "curl",
            ["-sS", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}"] + arguments
        ).text
    }

    @Test func `sockets from the service manager are served in addition to configured listeners`()
        throws
    {
        let script = """
            import os, socket, subprocess, sys
            directory, program = sys.argv[1:]
            with open(directory + '/proxyd.toml', 'w') as file:
                file.write('[[listener]]\\naddress = "127.0.0.1:0"\\n')
            listener = socket.create_server(('127.0.0.1', 0))
            command = ['sh', '-c',
                       'LISTEN_PID=$$ exec "$0" --config "$1/proxyd.toml" --data-dir "$1/data"',
                       program, directory]
            child = subprocess.Popen(command, env=dict(os.environ, LISTEN_FDS='1'), pass_fds=[3],
                                     stdout=subprocess.PIPE,
                                     preexec_fn=lambda: os.dup2(listener.fileno(), 3))
            try:
                line = child.stdout.readline().decode().strip()
                print(line == 'proxyd: listening on 127.0.0.1:%d' % listener.getsockname()[1])
                print(child.stdout.readline().decode().strip().rsplit(':', 1)[0])
                child.terminate()
                print(child.stdout.read() == b'', child.wait())
            finally:
                child.kill()
            """
        let directory = try ScratchFolder()
        let outcome = try Tool.run(
            "python3", ["-c", script, directory.path, try Tool.built("proxyd")])
        #expect(
            outcome.text == "True\nproxyd: listening on 127.0.0.1\nTrue 0\n", "\(outcome.errors)")
    }

    @Test
    func `proxyd warns that remote clients of an inherited socket send passwords in cleartext`()
        throws
    {
        let script = """
            import os, socket, subprocess, sys
            directory, program = sys.argv[1:]
            open(os.open(directory + '/users', os.O_WRONLY | os.O_CREAT, 0o600), 'w').close()
            with open(directory + '/proxyd.toml', 'w') as file:
                file.write('[listen]\\nallowed_client_networks = ["10.0.0.0/8"]\\n'
                           'users_file = "%s/users"\\n' % directory)
            listener = socket.create_server(('0.0.0.0', 0))
            command = ['sh', '-c',
                       'LISTEN_PID=$$ exec "$0" --config "$1/proxyd.toml" --data-dir "$1/data"',
                       program, directory]
            child = subprocess.Popen(command, env=dict(os.environ, LISTEN_FDS='1'), pass_fds=[3],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     preexec_fn=lambda: os.dup2(listener.fileno(), 3))
            try:
                child.stdout.readline()
                child.terminate()
                print(child.communicate()[1].decode().count('which they send in the clear'))
            finally:
                child.kill()
            """
        let directory = try ScratchFolder()
        let outcome = try Tool.run(
            "python3", ["-c", script, directory.path, try Tool.built("proxyd")])
        #expect(outcome.text == "1\n", "\(outcome.errors)")
    }

    /// Becomes a daemon with a socket for each name, whose port replaces `PORT-NAME` in its
    /// configuration, and prints the ports.
    private static let named = """
        import fcntl, os, socket, sys
        directory, program, names = sys.argv[1:]
        sockets = [socket.create_server(('127.0.0.1', 0)) for _ in names.split(':')]
        ports = [one.getsockname()[1] for one in sockets]
        with open(directory + '/proxyd.toml') as file:
            text = file.read()
        for name, port in zip(names.split(':'), ports):
            text = text.replace('PORT-' + name, str(port))
        with open(directory + '/proxyd.toml', 'w') as file:
            file.write(text)
        print(*ports, flush=True)
        high = [fcntl.fcntl(one.fileno(), fcntl.F_DUPFD_CLOEXEC, 50) for one in sockets]
        for place, number in enumerate(high):
            os.dup2(number, 3 + place)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(high)),
                          LISTEN_FDNAMES=names)
        os.execv(program, [program, '--config', directory + '/proxyd.toml',
                           '--data-dir', directory + '/data'])
        """

    @Test func `a socket from the service manager is used by the listener with the same name`()
        throws
    {
        let origin = try Origin()
        let directory = try ScratchFolder()
        // A name counts before an address.
        try """
        [listen]
        addresses = ["127.0.0.1:PORT-socks"]
        [[listener]]
        name = "socks"
        mode = "socks"
        address = "127.0.0.1:1"
        [[listener]]
        name = "front"
        mode = "reverse"
        address = "127.0.0.1:2"
        to = "\(origin.url(""))"
        [[listener]]
        name = "back"
        mode = "reverse"
        address = "127.0.0.1:3"
        to = "http://127.0.0.1:PORT-back"

        """.write(toFile: directory.path + "/proxyd.toml", atomically: true, encoding: .utf8)
        let service = try Service(
            "/usr/bin/python3",
            ["-c", Self.named, directory.path, try Tool.built("proxyd"), "front:socks:other:back"])
        let ports = try service.readLine().split(separator: " ").compactMap { Int($0) }
        try #require(ports.count == 4)
        for port in ports {
            #expect(try service.readLine() == "proxyd: listening on 127.0.0.1:\(port)")
        }
        let url = origin.url("/echo")
        #expect(try curl("http://127.0.0.1:\(ports[0])/echo") == "200")
        #expect(try curl("-x", "socks5h://127.0.0.1:\(ports[1])", url) == "200")
        // A socket that the configuration does not name is a proxy.
        #expect(try curl("-x", "http://127.0.0.1:\(ports[2])", url) == "200")
        // A listener in front of itself would go round without an end.
        #expect(try curl("http://127.0.0.1:\(ports[3])/echo") == "508")
        service.signal(SIGTERM)
        #expect(service.waitForExit() == 0)
    }
}
