import Foundation
import ProxydTestSupport

/// A daemon whose data directory is a disk of 32 MiB, in a mount namespace of its own.
final class SmallDisk {
    static let canMount =
        (try? Tool.run("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]))?.status == 0

    let proxy: Daemon
    private var filler: String { proxy.directory + "/filler" }

    init(_ rig: LoadRig, _ configuration: String) throws {
        guard let unshare = Tool.find("unshare") else {
            throw Tool.Failure(description: "unshare is not installed")
        }
        let data = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: data.path + "/data", withIntermediateDirectories: false)
        proxy = try Daemon(
            trusting: rig.certificate, configuration: configuration, data: data,
            launcher: [
                unshare, "-rm", "/bin/sh", "-c",
                "mount -t tmpfs -o size=32m,mode=700 tmpfs \"$0/data\" && exec \"$@\"", data.path,
            ], hasOwnMounts: true)
    }

    /// Takes the room that is left; the program ends with an error when there is none.
    func fill() throws {
        let outcome = try proxy.run("dd", ["if=/dev/zero", "of=\(filler)", "bs=64k"])
        guard outcome.status != 0 else { throw Tool.Failure(description: "the disk is not full") }
    }

    /// Takes the room that is left but for some bytes.
    func fill(leaving byteCount: Int) throws {
        let script = """
            import os, sys
            disk = os.statvfs(os.path.dirname(sys.argv[1]))
            with open(sys.argv[1], "wb") as file:
                file.write(bytes(disk.f_bavail * disk.f_frsize - int(sys.argv[2])))
            """
        let outcome = try proxy.run("python3", ["-c", script, filler, String(byteCount)])
        guard outcome.status == 0 else { throw Tool.Failure(description: "\(outcome)") }
    }

    func makeRoom() throws { _ = try proxy.run("rm", [filler]) }
}
