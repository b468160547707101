import Foundation
import ProxydTestSupport
import Testing

/// Listeners as the configuration and the command line have them.
struct ListenerModeTests {
    @Test(arguments: [
        ("socks", ""), ("transparent", ""), ("reverse", "to = \"https://origin.test\"\n"),
    ])
    func `a mode that is not built is refused with its line and exit status 78`(
        mode: String, keys: String
    ) throws {
        let directory = try ScratchFolder()
        let file = directory.path + "/proxyd.toml"
        try "[[listener]]\nmode = \"\(mode)\"\naddress = \"127.0.0.1:0\"\n\(keys)".write(
            toFile: file, atomically: true, encoding: .utf8)
        for check in [["--check-config"], []] {
            let outcome = try Tool.run(
                try Tool.built("proxyd"),
                ["--config", file, "--data-dir", directory.path + "/data"] + check)
            #expect(outcome.status == 78)
            #expect(
                outcome.errors == "\(file):3: this version of proxyd has no listeners of mode "
                    + "\(mode) yet: 127.0.0.1:0 can only use mode proxy\n")
        }
    }

    @Test func `a flag for a mode that is not built is told as one`() throws {
        let directory = try ScratchFolder()
        let outcome = try Tool.run(
            try Tool.built("proxyd"),
            ["--listen", "socks://127.0.0.1:0", "--data-dir", directory.path + "/data"])
        #expect(outcome.status == 64)
        #expect(
            outcome.errors == "--listen: this version of proxyd has no listeners of mode socks "
                + "yet: 127.0.0.1:0 can only use mode proxy\n")
    }

    @Test func `sockets of the service manager are added to tables`() throws {
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
}
