import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// What HTTP/2 adds to the rows of exchanges and connections.
@Suite struct HTTP2RecordingTests {
    private let store = TemporaryStore()

    @Test func `an HTTP/2 exchange is read back with its HPACK codings, streams, reset and frames`()
        throws
    {
        let recorder = try store.recorder()
        let update = Samples.http2(recorder.nextExchangeID())
        recorder.record(update)
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.request.head == update.requestHead)
        #expect(exchange.response?.head == update.responseHead)
        #expect(exchange.request.head?.fields.lines.first?.coding.isNeverIndexed == true)
        #expect(exchange.http2 == update.http2 && exchange.frames == update.frames)
        let row = try #require(try store.reader().row(update.id))
        #expect(row.httpVersion == "HTTP/2" && row.stream == 5 && row.spokenProtocol == .http2)
        #expect(
            try store.sql("SELECT http_version || protocol || stream FROM exchanges")
                == ["HTTP/2h25"])
        #expect(try store.sql("SELECT head_format FROM exchange") == ["2"])
        recorder.stop()
    }

    @Test
    func `new HTTP/2 frames of a long exchange are appended; deleting it deletes all its frames`()
        throws
    {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        var update = Samples.begun(id)
        update.frames = [1, 0, 5, 33]
        recorder.record(update)
        try recorder.flush()
        for byte: UInt8 in [7, 8] {
            var later = ExchangeUpdate(
                id: id, state: .active, timeline: Samples.timeline(), isFirst: false)
            later.frames = [0, 2, 0, byte]
            later.http2 = HTTP2Facts()
            later.http2?.clientStream = StreamID(rawValue: 3)
            recorder.record(later)
            try recorder.flush()
        }
        let exchange = try #require(try store.reader().exchange(id))
        #expect(exchange.frames == [1, 0, 5, 33, 0, 2, 0, 7, 0, 2, 0, 8])
        #expect(exchange.http2?.clientStream?.rawValue == 3)
        var last = ExchangeUpdate(
            id: id, state: .complete, timeline: Samples.timeline(), isFirst: false)
        last.http2 = exchange.http2
        last.http2?.reset = HTTP2Facts.Reset(side: .client, isOurs: true, code: .internalError)
        recorder.record(last)
        try recorder.flush()
        #expect(try store.reader().exchange(id)?.http2?.reset == last.http2?.reset)
        _ = try recorder.clear(.exchanges([id]))
        #expect(try store.sql("SELECT count(*) FROM frame_piece") == ["0"])
        recorder.stop()
    }

    @Test func `the fields of a malformed HTTP/2 head are stored whatever bytes they contain`()
        throws
    {
        let recorder = try store.recorder()
        var update = ExchangeUpdate(
            id: recorder.nextExchangeID(), state: .failed, timeline: Samples.timeline(),
            isFirst: true)
        var fields: [UInt8] = []
        let value: [UInt8] = [0x0D, 0x0A, 0]
        FieldList.append(name: "X-A".utf8.span, value: value.span, to: &fields)
        update.malformedHead = fields
        update.malformedCodings = [FieldCoding(.added)]
        recorder.record(update)
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.request.head == nil)
        #expect(exchange.request.malformedCodings == update.malformedCodings)
        let bytes = try #require(try store.reader().headBytes(of: update.id, .request))
        #expect(FieldList.lines(bytes) == [Array("X-A: ".utf8) + value])
        #expect(try store.sql("SELECT head_format FROM exchange") == ["3"])
        let row = try #require(try store.reader().row(update.id))
        #expect(row.httpVersion == "HTTP/2" && row.spokenProtocol == .http2)
        #expect(
            try store.sql("SELECT http_version || ' ' || protocol FROM exchanges") == ["HTTP/2 h2"])
        recorder.stop()
    }

    @Test func `a connection is stored with the HTTP/2 settings of both sides`() throws {
        let recorder = try store.recorder()
        var update = Samples.http2(recorder.nextExchangeID())
        var connection = ConnectionRecord(
            id: recorder.nextConnectionID(), side: .client, openedAt: 1,
            peerAddress: "127.0.0.1:5", localAddress: "127.0.0.1:6")
        update.clientConnection = connection.id
        connection.http2 = HTTP2ConnectionFacts(
            ourSettings: [.init(number: 3, value: 100)],
            peerSettings: [.init(number: 4, value: .max), .init(number: 0xFFFF, value: 0)],
            frames: [4, 0, 0, 12])
        recorder.record(connection)
        recorder.record(update)
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.client?.http2 == connection.http2)
        recorder.stop()
    }

    static let spoken: [(request: String?, response: String?, name: String)] = [
        ("application/grpc+proto", nil, "grpc"), ("Application/gRPC-web", nil, "grpcweb"),
        (nil, "text/event-stream; charset=utf-8", "sse"), (nil, "text/plain", "h1"),
    ]

    @Test(arguments: spoken)
    func `the protocol of an exchange is derived from the Content-Type of request and response`(
        request: String?, response: String?, name: String
    ) throws {
        let recorder = try store.recorder()
        var update = Samples.complete(
            recorder.nextExchangeID(), fields: request.map { [("Content-Type", $0)] } ?? [])
        update.responseHead = Samples.responseHead(
            fields: response.map { [("Content-Type", $0)] } ?? [])
        recorder.record(update)
        try recorder.flush()
        #expect(try store.sql("SELECT protocol FROM exchanges") == [name])
        #expect(try store.reader().row(update.id)?.spokenProtocol?.rawValue == name)
        recorder.stop()
    }
}
