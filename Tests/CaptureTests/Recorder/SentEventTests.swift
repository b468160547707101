@testable import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Synchronization
import Testing

/// What was sent on in another form than it came is kept beside what came.
@Suite struct `What was sent on` {
    let store = TemporaryStore()

    private static let head = Array("HTTP/1.1 418 Teapot\r\nSet-Cookie: sid=1\r\n\r\n".utf8)
    private static let bodies =
        "SELECT part, group_concat(octets, '') FROM (SELECT part, position, octets FROM body_chunk "
        + "WHERE part > 1 ORDER BY part, position) GROUP BY part"
    private static let heads =
        "SELECT replace(octets, x'0D0A', '$') FROM head WHERE part = 5"

    private static func events(_ round: Int) -> [ExchangeEvent] {
        [.sentRequestBody(Array("up\(round)".utf8)), .sentResponseBody(Array("down\(round)".utf8))]
    }

    @Test func `a short exchange is stored with its forwarded head and bodies`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/changed")
        update.events = Self.events(1) + [.sentResponseHead(Self.head)]
        recorder.record(update)
        try recorder.flush()
        #expect(try store.sql(Self.bodies) == ["2|up1", "3|down1"])
        #expect(try store.sql(Self.heads) == ["HTTP/1.1 418 Teapot$Set-Cookie: sid=1$$"])
        recorder.stop()
    }

    @Test func `pieces of a forwarded body are joined even if stored in several transactions`()
        throws
    {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/changed")
        update.state = .active
        update.events = Self.events(1)
        recorder.record(update)
        try recorder.flush()
        var later = ExchangeUpdate(
            id: update.id, state: .active, timeline: update.timeline, isFirst: false)
        later.events = Self.events(2)
        recorder.record(later)
        later.events = Self.events(3) + [.sentResponseHead(Self.head)]
        later.state = .complete
        recorder.record(later)
        try recorder.flush()
        #expect(try store.sql(Self.bodies) == ["2|up1up2up3", "3|down1down2down3"])
        #expect(try store.sql(Self.heads).count == 1)
        recorder.stop()
    }

    @Test func `forwarded heads and bodies are removed together with their exchange`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/changed")
        update.events = Self.events(1) + [.sentResponseHead(Self.head)]
        recorder.record(update)
        try recorder.flush()
        #expect(try recorder.clear(.all) == 1)
        #expect(try store.sql("SELECT count(*) FROM body_piece") == ["0"])
        #expect(try store.sql(Self.heads) == [])
        recorder.stop()
    }

    @Test(arguments: [([], ["2|up1", "3|down1"]), (["pin"], [])])
    func `values that must not be stored are left out of forwarded heads and bodies`(
        parameters: [String], bodies: [String]
    ) throws {
        var configuration = RecorderConfiguration.forTests
        configuration.unstored = UnstoredNames(fields: ["Set-Cookie"], parameters: parameters)
        let recorder = try store.recorder(configuration)
        var update = Samples.complete(recorder.nextExchangeID(), "/changed")
        update.events = Self.events(1) + [.sentResponseHead(Self.head)]
        recorder.record(update)
        try recorder.flush()
        let head = try store.sql(Self.heads).first
        #expect(head?.hasPrefix("HTTP/1.1 418 Teapot$Set-Cookie: sid=") == true)
        #expect(head?.contains("sid=1") == false)
        #expect(try store.sql(Self.bodies) == bodies)
        recorder.stop()
    }

    /// Whole exchanges that take little but for what was sent.
    private func record(_ count: Int, sending bytes: [UInt8], in recorder: Recorder) {
        for number in 0..<count {
            var update = Samples.complete(recorder.nextExchangeID(), "/\(number)")
            update.events = [.sentResponseBody(bytes)]
            recorder.record(update)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `retention counts forwarded bodies and removes no more exchanges than necessary`()
        async throws
    {
        let first = try store.recorder()
        record(400, sending: [UInt8](repeating: 1, count: 10_000), in: first)
        first.stop()
        #expect(first.status.storeByteCount > 4_000_000)
        var configuration = RecorderConfiguration.forTests
        configuration.retention = RetentionPolicy(storeByteCountMax: 2_000_000)
        let recorder = try store.recorder(configuration)
        while recorder.status.exchangeCount > 200 { try await Task.sleep(for: .milliseconds(5)) }
        recorder.stop()
        #expect(recorder.status.exchangeCount > 50)
        #expect(try store.reader().row(ExchangeID(rawValue: 400)) != nil)
    }

    @Test func `clearing large forwarded bodies is split into several transactions`() throws {
        let commits = Mutex(0)
        var configuration = RecorderConfiguration.forTests
        configuration.faults = RecorderFaults(
            commitResult: {
                commits.withLock { $0 += 1 }
                return 0
            })
        let recorder = try store.recorder(configuration)
        record(24, sending: [UInt8](repeating: 1, count: 1 << 20), in: recorder)
        try recorder.flush()
        let before = commits.withLock { $0 }
        #expect(try recorder.clear(.all) == 24)
        #expect(commits.withLock { $0 } - before >= 6)
        recorder.stop()
    }
}
