import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl hold resume --edit`: a held message in the user's editor.
@Suite(.timeLimit(.minutes(10)))
struct HoldEditTests {
    private let data: ScratchFolder
    private let origin: ReplayOrigin
    private let daemon: Daemon
    private let holder: Holder

    init() throws {
        data = try ScratchFolder()
        origin = try ReplayOrigin()
        try "[[rule]]\nname = \"posts\"\nwhen = 'method=POST'\nrequest = [{ hold = true }]\n"
            .write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        daemon = try Daemon(data: data)
        holder = try Holder(daemon)
    }

    /// Sends a body; the number of its hold.
    private func send(_ body: String) throws -> (fetch: Fetch, hold: String) {
        let fetch = try Fetch(
            daemon, "-H", "Content-Type: text/plain", "--data-binary", body,
            "http://\(origin.authority)/pay")
        return (fetch, String(try #require(try holder.next().int("hold"))))
    }

    private func edit(
        _ hold: String, with editor: String, _ arguments: String...
    ) throws -> Tool.Outcome {
        try Tool.run(
            Tool.built("proxyctl"),
            ["--data-dir", daemon.directory, "hold", "resume", hold, "--edit"] + arguments,
            environment: ["VISUAL": "", "EDITOR": editor, "TMPDIR": data.path])
    }

    private func outcome() throws -> [String?] {
        let row = try daemon.row()
        let applied = try daemon.show(row).object["applied_rules"] as? [[String: Any]]
        return [applied?.first?["outcome"] as? String, applied?.first?["detail"] as? String]
    }

    @Test func `a held request is forwarded with the head and body that were saved in the editor`()
        throws
    {
        let (fetch, hold) = try send("amount=5")
        let edited = try edit(
            hold, with: "sed -i -e s/amount=5/amount=70/ -e '/^Content-Type/s/plain/x-amount/'",
            "--set", "header:X-By=hand")
        #expect(edited.status == 0, "\(edited)")
        #expect(fetch.finish().text.hasSuffix("ok"))
        let sent = try origin.nextRequest()
        #expect(sent.contains("\r\nContent-Type: text/x-amount\r\n"))
        #expect(sent.contains("\r\nX-By: hand\r\n") && sent.contains("\r\nContent-Length: 9\r\n"))
        #expect(sent.hasSuffix("\r\n\r\namount=70"))
        #expect(try outcome() == ["held", "changed"])
        let left = try FileManager.default.contentsOfDirectory(atPath: data.path)
        #expect(!left.contains { $0.hasPrefix("proxyctl-edit") })
    }

    @Test(arguments: ["true", "sed -i '$a\\'"])
    func `a held request stays unchanged if the editor adds only a final newline or nothing`(
        editor: String
    ) throws {
        let (fetch, hold) = try send("one line\r\n\r\nanother")
        let edited = try edit(hold, with: editor)
        #expect(edited.status == 0, "\(edited)")
        #expect(fetch.finish().text.hasSuffix("ok"))
        #expect(try origin.nextRequest().hasSuffix("\r\n\r\none line\r\n\r\nanother"))
        #expect(try outcome() == ["held", "unchanged"])
    }

    @Test func `a held request stays held if the editor fails or the request's body is not text`()
        throws
    {
        let (fetch, hold) = try send("a=1")
        let failed = try edit(hold, with: "false")
        #expect(failed.status == 1 && failed.errors.contains("the editor exited with status 1"))
        let missing = try edit(hold, with: "")
        #expect(missing.status == 1 && missing.errors.contains("$EDITOR"))
        let wrong = try edit(hold, with: "sed -i 1s/.*/nonsense/")
        #expect(wrong.status == 1 && wrong.errors.contains("the head: "), "\(wrong)")
        #expect(wrong.errors.contains("your edits are in \(data.path)/proxyctl-edit"))
        #expect(try daemon.proxyctl(["hold", "list"]).text.contains("/pay"))
        #expect(try daemon.proxyctl(["hold", "resume", hold]).status == 0)
        #expect(fetch.finish().text.hasSuffix("ok"))
        let binary = data.path + "/binary"
        try Data([0xFF, 0x00, 0x01]).write(to: URL(fileURLWithPath: binary))
        let (second, other) = try send("@\(binary)")
        let refused = try edit(other, with: "true")
        #expect(refused.status == 1 && refused.errors.contains("the body is not text"))
        #expect(try daemon.proxyctl(["hold", "drop", other]).status == 0)
        #expect(second.finish().status == 52)
    }
}
