import Foundation

/// What some faults need of the machine; where it is missing, their tests are skipped and say so.
enum FaultNeeds {
    /// Port 53 of a loopback address, and a mount namespace of one's own for resolv.conf.
    static let canServeNames: Bool = {
        let script = """
            import socket
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(("127.0.0.77", 53))
            """
        let mount = ["-rm", "mount", "--bind", "/etc/hosts", "/etc/resolv.conf"]
        return (try? Tool.run("python3", ["-c", script]))?.status == 0
            && (try? Tool.run("unshare", mount))?.status == 0
    }()

    /// The library that makes a program believe in another time.
    static let clockLibrary: String? = ["x86_64", "aarch64"]
        .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// strace, and the right to use it as these tests do.
    static let canTrace: Bool = {
        let arguments = [
            "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=getppid", "-e",
            "inject=getppid:error=EPERM:when=1", "/bin/sh", "-c", "exit 7",
        ]
        return (try? Tool.run("strace", arguments, seconds: 20))?.status == 7
    }()
}
