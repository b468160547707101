import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydStoreTestSupport
import Testing

/// What was wrong with a response is kept beside it.
@Suite struct `Faults of responses` {
    let store = TemporaryStore()
    private let fault = ResponseFault(
        refusal: .init(bytes: [0x00, 0xFF, 0x0A], reason: "a chunk size is not a number"),
        repairs: ["a line was left out", "a length was left out"])

    @Test func `a response fault is read back as it was recorded and is found by filters`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/broken")
        update.responseFault = fault
        recorder.record(update)
        recorder.recordSample("/fine")
        try recorder.flush()
        #expect(try store.reader().exchange(update.id)?.responseFault == fault)
        let filters = [
            "refused:CHUNK": 1, "refused=chunk": 0, "refused~^a.chunk": 1, "repaired:length": 1,
            "repaired~\"left out$\"": 1, "not refused:\"\"": 1, "refused:\"\" repaired:\"\"": 1,
        ]
        for (text, count) in filters {
            let rows = try store.reader().rows(
                matching: Filter.parse(text), .oldest, limit: 9)
            #expect(rows.count == count, "\(text)")
        }
        recorder.stop()
    }

    @Test func `later updates add to a stored response fault`() throws {
        let recorder = try store.recorder()
        let id = recorder.nextExchangeID()
        var update = Samples.complete(id, "/long")
        update.state = .active
        update.responseFault = ResponseFault(repairs: ["one"])
        recorder.record(update)
        try recorder.flush()
        var later = ExchangeUpdate(
            id: id, state: .active, timeline: update.timeline, isFirst: false)
        later.responseFault = ResponseFault(repairs: ["one", "two"])
        recorder.record(later)
        try recorder.flush()
        later.state = .failed
        later.responseFault = ResponseFault(refusal: fault.refusal)
        recorder.record(later)
        try recorder.flush()
        let found = try store.reader().exchange(id)?.responseFault
        #expect(found == ResponseFault(refusal: fault.refusal, repairs: ["one", "two"]))
        recorder.stop()
    }

    @Test func `a response fault is removed together with its exchange`() throws {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/broken")
        update.responseFault = fault
        recorder.record(update)
        try recorder.flush()
        #expect(try store.sql("SELECT count(*) FROM response_fault") == ["1"])
        _ = try recorder.clear(.all)
        #expect(try store.sql("SELECT count(*) FROM response_fault") == ["0"])
        recorder.stop()
    }

    @Test func `the bytes of a rejected response are not stored if any header field is secret`()
        throws
    {
        var configuration = RecorderConfiguration.forTests
        configuration.unstored.fields = ["Authorization"]
        let recorder = try store.recorder(configuration)
        var update = Samples.complete(recorder.nextExchangeID(), "/broken")
        update.responseFault = fault
        recorder.record(update)
        try recorder.flush()
        let refusal = try store.reader().exchange(update.id)?.responseFault?.refusal
        #expect(refusal?.bytes == [])
        #expect(refusal?.reason == fault.refusal?.reason)
        recorder.stop()
    }

    @Test func `a response head without its final empty line is stored unchanged`() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: b\r\n".utf8)
        let head = try HeadParser.parseResponseHead(bytes, mayLackEmptyLine: true)
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID(), "/cut")
        update.responseHead = head
        recorder.record(update)
        try recorder.flush()
        let found = try store.reader().exchange(update.id)?.response?.head
        #expect(found == head)
        #expect(found?.bytes == bytes)
        recorder.stop()
    }

    private static let cuts: [(Int, String, ExchangeFailure.Origin, String?)] = [
        (7, "Content-Length: 1000", .upstream, "7 of 1000 bytes arrived: the server closed"),
        (7, "Content-Length: 1000", .client, "7 of 1000 bytes arrived: the client closed"),
        (
            1, "Transfer-Encoding: chunked", .upstream,
            "incomplete, 1 byte arrived: the server closed"
        ),
        (7, "Content-Length: 7", .upstream, nil),
    ]

    @Test(arguments: cuts)
    func `an incomplete response body is described by the bytes received and the cause`(
        count: Int, line: String, origin: ExchangeFailure.Origin, text: String?
    ) throws {
        let head = try HeadParser.parseResponseHead(
            Array("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n".utf8))
        let body = Body(Array(repeating: 0x61, count: count))
        var exchange = Exchange(
            id: ExchangeID(rawValue: 1), state: .failed,
            request: Request(url: nil, head: Samples.requestHead("GET", Samples.url("/"))),
            response: Response(head: head, body: body),
            timeline: Samples.timeline())
        exchange.failure = ExchangeFailure(origin: origin, kind: .closedEarly, message: "x")
        #expect(exchange.cutBodyText == text)
        exchange.state = .complete
        #expect(exchange.cutBodyText == nil)
    }
}
