import Capture
import ProxydCaptureModel
import ProxydHTTPModel
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

    @Test func `a short exchange has it`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/changed")
        update.events = Self.events(1) + [.sentResponseHead(Self.head)]
        recorder.record(update)
        try recorder.flush()
        #expect(try store.sql(Self.bodies) == ["2|up1", "3|down1"])
        #expect(try store.sql(Self.heads) == ["HTTP/1.1 418 Teapot$Set-Cookie: sid=1$$"])
        recorder.stop()
    }

    @Test func `pieces of a long exchange are joined, in one transaction and over several`() throws
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

    @Test func `it goes with its exchange`() throws {
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
    func `what is never to be stored is left out of it`(
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
}
