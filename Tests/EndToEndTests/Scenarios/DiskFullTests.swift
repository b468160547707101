import Foundation
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// A full disk stops recording, visibly, and not the proxy; room brings recording back.
@Suite(
    .serialized, .enabled(if: SmallDisk.canMount, "mounting a disk of one's own is not permitted"))
struct DiskFullTests {
    /// A floor that is met before the disk is full, and none: then SQLite finds out.
    @Test(arguments: [0, 4 << 20])
    func `while the disk is full, recording pauses and the proxy keeps forwarding`(
        floorByteCount: Int
    ) throws {
        let rig = try LoadRig()
        let disk = try SmallDisk(
            rig, "[recording]\nfree_space_floor_byte_count = \(floorByteCount)\n")
        let proxy = disk.proxy
        var numbers = 0..<100
        func send() throws {
            let sent = try rig.send(numbers, through: proxy)
            #expect(sent.int("done") == numbers.count, "\(sent.object)")
        }
        func next() { numbers = numbers.upperBound..<(numbers.upperBound + 100) }
        try send()
        try proxy.settle()
        try disk.fill()
        // What SQLite has room for in its files already goes on being recorded.
        repeat {
            next()
            try send()
        } while try isRecording(proxy) && numbers.upperBound < 5_000
        let stopped = try proxy.status()
        #expect(stopped.object["recording"] as? Bool == false, "\(stopped.object)")
        #expect(stopped.text("recording_stopped_because")?.contains("full") == true)
        try proxy.service.waitForLog("recording has stopped: the disk is full")
        next()
        try send()
        try disk.makeRoom()
        try Eventually.isTrue(orFail: "it does not record again") { try isRecording(proxy) }
        try proxy.service.waitForLog("recording works again")
        next()
        try send()
        try proxy.settle()
        try expectWhole(rig, proxy, first: 0..<100, last: numbers)
    }

    private func isRecording(_ proxy: Daemon) throws -> Bool {
        try proxy.status().object["recording"] as? Bool == true
    }

    /// What came before and behind the pause is whole; what came in it is there, or counted.
    private func expectWhole(
        _ rig: LoadRig, _ proxy: Daemon, first: Range<Int>, last: Range<Int>
    ) throws {
        for numbers in [first, last] {
            let stored = try rig.check(numbers, in: proxy)
            #expect(stored.int("missing_count") == 0, "\(numbers): \(stored.object)")
            #expect(stored.int("wrong_count") == 0, "\(numbers): \(stored.object)")
            #expect(stored.text("integrity") == "ok")
        }
        let status = try proxy.status()
        let rows = try rig.check(0..<last.upperBound, in: proxy, only: [])
        let counted = (rows.int("rows") ?? 0) + (status.int("dropped_exchanges") ?? 0)
        #expect(counted == last.upperBound, "\(rows.object) \(status.object)")
    }
}

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

    /// Fills the disk: dd writes until no space is left, which is its error.
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

/// A full disk while bodies are held back for rules: they wait in memory, and are edited.
@Suite(
    .serialized, .enabled(if: SmallDisk.canMount, "mounting a disk of one's own is not permitted"))
struct RuledDiskFullTests {
    private static let byteCount = 256 << 10

    private let origin: ScriptedOrigin
    private let rules: ScratchFolder
    private let disk: SmallDisk

    init() throws {
        origin = try ScriptedOrigin()
        rules = try ScratchFolder()
        let file = rules.path + "/rules.toml"
        try """
        [[rule]]
        name = "swap"
        request = [{ replace = "body", match = "^came", with = "sent" }]
        response = [{ replace = "body", match = "^came", with = "back" }]

        """.write(toFile: file, atomically: true, encoding: .utf8)
        disk = try SmallDisk(
            LoadRig(),
            "[rules]\nfile = \"\(file)\"\n[recording]\nfree_space_floor_byte_count = 0\n")
    }

    private var isRecording: Bool {
        get throws { try disk.proxy.status().object["recording"] as? Bool == true }
    }

    private func body(_ beginning: String) -> [UInt8] {
        Array(beginning.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: Self.byteCount)
    }

    /// Sends a body to a server that answers with the same.
    private func exchange() throws {
        let client = try RawClient(port: disk.proxy.port)
        let body = body("came")
        let length = "Content-Length: \(body.count)\r\n\r\n"
        client.send(
            "POST http://127.0.0.1:\(origin.port)/x HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n"
                + length)
        client.send(body)
        let sent = try origin.answer(Array("HTTP/1.1 200 OK\r\n\(length)".utf8) + body)
        #expect(sent.body == self.body("sent"))
        let received = try client.readResponse(to: .post)
        #expect(received.body == self.body("back"))
    }

    @Test
    func `rules edit bodies while the disk is full; recording resumes when space is available`()
        throws
    {
        try exchange()
        try disk.proxy.settle()
        try disk.fill()
        var count = 1
        repeat {
            try exchange()
            count += 1
        } while try isRecording && count < 40
        #expect(try !isRecording)
        try exchange()
        try disk.makeRoom()
        try Eventually.isTrue(orFail: "it does not record again") { try isRecording }
        try disk.proxy.settle()
        let rows = try disk.proxy.rows("rule=swap", count: 1)
        #expect(rows.first?.int("id") == 1)
        try exchange()
        #expect(try disk.proxy.rows("id>\(count + 1) rule=swap", count: 1).count == 1)
    }
}
