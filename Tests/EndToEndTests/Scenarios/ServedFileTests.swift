import Foundation
import ProxydTestSupport
import Testing

/// Files that rules serve, and that someone else changes meanwhile.
@Suite(.timeLimit(.minutes(10)))
struct ServedFileTests {
    private static let byteCount = 2 << 20
    /// Says that it has a page of bytes, and has fewer.
    private static let shortFile = "/sys/kernel/uevent_seqnum"

    private let data: ScratchFolder
    private var file: String { data.path + "/served.txt" }

    init() throws { data = try ScratchFolder() }

    private func daemon(serving file: String) throws -> Daemon {
        try "[[rule]]\nname = \"local\"\nrequest = [{ serve = \"\(file)\" }]\n".write(
            toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        return try Daemon(data: data)
    }

    private func content(_ letter: Character, count: Int = byteCount) -> Data {
        Data(String(repeating: letter, count: count).utf8)
    }

    /// Asks for the file again and again while it is changed.
    private func ask(
        _ daemon: Daemon, changing: @escaping @Sendable (Int) throws -> Void,
        _ check: (Tool.Outcome) -> Void
    ) throws {
        let writer = try RepeatedChange(changing)
        for _ in 0..<40 {
            check(try daemon.curl("-w", "%{http_code}", "http://any.test/file"))
        }
        try writer.stop()
    }

    @Test
    func `a file replaced while a rule serves it is sent complete, in its old or new version`()
        throws
    {
        let contents = [content("a"), content("b", count: Self.byteCount + 1)]
        try contents[0].write(to: URL(fileURLWithPath: file))
        let daemon = try daemon(serving: file)
        let file = file
        var seen: Set<Data> = []
        try ask(daemon) { round in
            try contents[round % 2].write(to: URL(fileURLWithPath: file), options: .atomic)
        } _: { outcome in
            #expect(outcome.status == 0, "\(outcome.errors)")
            let body = outcome.output.dropLast(3)
            #expect(contents.contains(Data(body)), "\(body.count) bytes")
            seen.insert(Data(body.prefix(1)))
        }
        #expect(seen.count == 2)
    }

    @Test func `a file that is rewritten while a rule serves it causes no truncated response`()
        throws
    {
        let whole = content("a")
        try whole.write(to: URL(fileURLWithPath: file))
        let daemon = try daemon(serving: file)
        let file = file
        try ask(daemon) { _ in
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
            try handle.truncate(atOffset: 0)
            for part in 0..<8 {
                let begin = part * whole.count / 8
                try handle.write(contentsOf: whole[begin..<(begin + whole.count / 8)])
            }
            try handle.close()
        } _: { outcome in
            #expect(outcome.status == 0, "\(outcome.errors)")
            let status = String(decoding: outcome.output.suffix(3), as: UTF8.self)
            #expect(["200", "500"].contains(status))
            if status == "200" { #expect(outcome.output.dropLast(3).allSatisfy { $0 == 0x61 }) }
        }
        #expect(try daemon.status().int("active_exchanges") == 0)
    }

    /// Four answers of 64 MiB are all that fit.
    @Test
    func `a rule that serves a file responds with a 503 if unread responses use up the memory`()
        throws
    {
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        try #require(truncate(file, 64 << 20) == 0)
        let daemon = try daemon(serving: file)
        func head() throws -> (client: RawClient, text: String) {
            let client = try RawClient(port: daemon.port)
            client.send("GET http://any.test/file HTTP/1.1\r\nHost: any.test\r\n\r\n")
            return (client, try client.read(until: "\r\n\r\n"))
        }
        let waiting = try (0..<4).map { _ in try head() }
        #expect(waiting.allSatisfy { $0.text.hasPrefix("HTTP/1.1 200 ") })
        #expect(try head().text.hasPrefix("HTTP/1.1 503 "))
        waiting[0].client.close()
        try Eventually.isTrue(orFail: "no memory becomes free") {
            try head().text.hasPrefix("HTTP/1.1 200 ")
        }
        #expect(waiting.count == 4)
    }

    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: shortFile)))
    func `a rule responds with a 500 if the file that it serves ends before the reported size`()
        throws
    {
        let daemon = try daemon(serving: Self.shortFile)
        let outcome = try daemon.curl("-w", "%{http_code}", "http://any.test/file")
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("cannot be read") && outcome.text.hasSuffix("500"))
        #expect(try daemon.row().text("state") == "complete")
    }
}

/// Does something again and again on a thread of its own, until it is stopped.
final class RepeatedChange: @unchecked Sendable {
    // Proof: the lock guards what changes; the thread ends before `stop` returns.
    private let lock = NSLock()
    private var isStopped = false
    private var failure: (any Error)?
    private let ended = DispatchSemaphore(value: 0)

    /// Begins; `change` is told how often it was done before. It has been done once on return.
    init(_ change: @escaping @Sendable (Int) throws -> Void) throws {
        try change(0)
        Thread.detachNewThread { [self] in
            var round = 1
            while goesOn {
                do {
                    try change(round)
                } catch {
                    lock.withLock { failure = error }
                    break
                }
                round += 1
            }
            ended.signal()
        }
    }

    private var goesOn: Bool { lock.withLock { !isStopped } }

    /// Ends it.
    /// - Throws: what went wrong on the way.
    func stop() throws {
        lock.withLock { isStopped = true }
        ended.wait()
        if let failure { throw failure }
    }
}
