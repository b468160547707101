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

    /// A command that becomes another one whose calls of the kernel meet a fault, in the words of
    /// strace(1)'s `inject`.
    static func tracing(_ call: String, _ fault: String) throws -> [String] {
        guard let strace = Tool.find("strace") else {
            throw Tool.Failure(description: "strace is not installed")
        }
        return [
            strace, "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
            "inject=\(call):\(fault)",
        ]
    }

    /// A C compiler, for what is loaded into a program to watch it.
    static let compiler = Tool.find("cc")

    /// The library that makes a program believe in another time.
    static let clockLibrary: String? = ["x86_64", "aarch64"]
        .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// A network of one's own whose only link is slow and narrow: 1 Mbit/s in packets of 1,500
    /// bytes.
    static let narrowNetwork = [
        "/usr/bin/env", "unshare", "-rn", "/bin/sh", "-c",
        "ip link set lo up mtu 1500 && tc qdisc add dev lo root tbf rate 1mbit burst 16kb "
            + "latency 500ms && exec \"$@\"", "sh",
    ]

    /// Whether such a network can be had.
    static let canNarrow =
        (try? Tool.run(
            narrowNetwork[0], narrowNetwork.dropFirst() + ["/bin/sh", "-c", "exit 7"]))?.status == 7

    /// strace, and the right to use it as these tests do.
    static let canTrace: Bool = {
        let arguments = [
            "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=getppid", "-e",
            "inject=getppid:error=EPERM:when=1", "/bin/sh", "-c", "exit 7",
        ]
        return (try? Tool.run("strace", arguments, seconds: 20))?.status == 7
    }()
}
