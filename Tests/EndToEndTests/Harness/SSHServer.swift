import Foundation
import ProxydTestSupport

/// sshd on loopback, with keys of its own, and a client that trusts them.
final class SSHServer {
    /// Whether OpenSSH is there, and a netcat that speaks SOCKS.
    static let isAvailable: Bool = {
        guard Tool.find("sshd") != nil, Tool.find("ssh") != nil, Tool.find("nc") != nil else {
            return false
        }
        return (try? Tool.run("nc", ["-h"]))?.errors.contains("-X") == true
    }()

    let port: Int
    private let directory: ScratchFolder
    private let service: Service

    /// Starts an sshd for each connection, because sshd itself does not choose a free port.
    private static let script = """
        import os, socket, subprocess, sys, threading
        server = socket.create_server(('127.0.0.1', 0))
        print(server.getsockname()[1], flush=True)
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        while True:
            connection, _ = server.accept()
            subprocess.Popen(sys.argv[1:], stdin=connection, stdout=connection)
            connection.close()
        """

    init() throws {
        directory = try ScratchFolder()
        let path = directory.path
        for name in ["host", "user"] {
            let made = try Tool.run(
                "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "\(path)/\(name)"])
            guard made.status == 0 else { throw Tool.Failure(description: made.errors) }
        }
        try """
        HostKey \(path)/host
        AuthorizedKeysFile \(path)/user.pub
        StrictModes no
        UsePAM no
        PermitRootLogin yes
        PidFile none

        """.write(toFile: path + "/sshd_config", atomically: true, encoding: .utf8)
        let sshd = [Tool.find("sshd") ?? "", "-i", "-e", "-f", path + "/sshd_config"]
        // As root, it wants a folder that the system makes when it starts sshd.
        let own = [
            "unshare", "-m", "sh", "-c",
            "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec \"$@\"", "sh",
        ]
        service = try Service(
            "/usr/bin/python3", ["-c", Self.script] + (getuid() == 0 ? own : []) + sshd)
        port = Int(try service.readLine()) ?? 0
    }

    /// Runs a command over ssh, which reaches the server by another command.
    func run(_ command: String, by proxyCommand: String, input: Data) throws -> Tool.Outcome {
        try Tool.run(
            "ssh",
            [
                "-F", "none", "-i", directory.path + "/user", "-p", String(port),
                "-o", "ProxyCommand=\(proxyCommand)", "-o", "BatchMode=yes",
                "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                "-o", "IdentitiesOnly=yes", "localhost", command,
            ], input: input, seconds: 60)
    }
}
