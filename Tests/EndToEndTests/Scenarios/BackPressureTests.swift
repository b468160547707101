import Foundation
import Testing

/// A slow side slows the other one down, and no one else.
struct BackPressureTests {
    private static let byteCount = 256 << 20
    /// What may be on the way: the kernel's buffers on both sides, and ours.
    private static let inFlightByteCountMax = 64 << 20

    @Test func `a client that does not read its response slows only its own server connection`()
        throws
    {
        let rig = try LoadRig()
        let proxy = try Daemon(trusting: rig.certificate)
        let client = try RawClient(port: proxy.port)
        let grownMiB = try proxy.residentGrowthMiB {
            client.send(
                "GET \(rig.url("/give/slow/\(Self.byteCount)")) HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            try expectOthersUnaffected(rig, proxy)
        }
        let taken = Int(try rig.ask("/taken/slow")) ?? .max
        #expect(taken < Self.inFlightByteCountMax)
        #expect(grownMiB < 48)
        // It was held up, not given up.
        try client.skip(Self.byteCount)
        let row = try proxy.row("path:/give")
        #expect(row.int("response_body_bytes") == Self.byteCount)
        #expect(row.text("state") == "complete")
    }

    @Test func `a server that does not read an upload slows only that upload's client`() throws {
        let rig = try LoadRig()
        let proxy = try Daemon(trusting: rig.certificate)
        let file = try SparseFile(byteCount: Self.byteCount)
        let upload = try Service(
            try #require(Tool.find("curl")),
            ["-sS", "-x", proxy.url, "-H", "Expect:", "-T", file.path, rig.url("/held/slow")])
        _ = try proxy.rows("path:/held", count: 1, final: false)
        let grownMiB = try proxy.residentGrowthMiB { try expectOthersUnaffected(rig, proxy) }
        let seen = try proxy.rows("path:/held", count: 1, final: false)[0]
        #expect((seen.int("request_body_bytes") ?? .max) < Self.inFlightByteCountMax)
        #expect(grownMiB < 48)
        _ = try rig.ask("/release/slow")
        #expect(upload.waitForExit() == 0)
        #expect(try proxy.row("path:/held").int("request_body_bytes") == Self.byteCount)
    }

    private func expectOthersUnaffected(_ rig: LoadRig, _ proxy: Daemon) throws {
        let sent = try rig.send(0..<300, through: proxy)
        #expect(sent.int("done") == 300, "\(sent.object)")
    }
}
