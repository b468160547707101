import Foundation
import ProxydHTTPModel
import ProxydTestSupport
import Testing

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
