import Capture
import ProxydCaptureModel
@testable import ProxydCentralStore
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing
@testable import proxyship

/// What a batch contains of each exchange.
@Suite struct DeliveredExchangeTests {
    private struct Gone: Error {}

    private let store = TemporaryStore()

    private func record(_ fill: (Recorder) throws -> Void) throws {
        let recorder = try store.recorder()
        try fill(recorder)
        recorder.stop()
    }

    private func exchanges(redacts: Bool) throws -> [DeliveredExchange] {
        var maker = BatchMaker(
            try store.reader(), filter: nil, redacts: redacts, isFinal: true)
        let batch = try maker.next(after: .sample(), keptFromNs: nil)
        return batch?.exchanges ?? []
    }

    private func messages(_ exchange: DeliveredExchange) throws -> [MessageRow] {
        var rows: [MessageRow] = []
        try exchange.messages?({ rows += $0 })
        return rows
    }

    // MARK: Bodies

    @Test
    func `proxyship delivers a body of more than 4 MiB separately from the exchange's record`()
        throws
    {
        let body = [UInt8](repeating: 0x61, count: 4 << 20) + [0x7A]
        let form = Array("a=1".utf8)
        try record { recorder in
            recorder.record(
                Samples.complete(
                    recorder.nextExchangeID(), method: "POST", requestBody: form,
                    responseBody: body))
        }
        let exchange = try #require(try exchanges(redacts: false).first)
        #expect(exchange.record.requestBody == form)
        #expect(exchange.record.responseBody == nil)
        var (request, response): ([UInt8], [UInt8]) = ([], [])
        try exchange.longBody?(.request, { request += $0 })
        try exchange.longBody?(.response, { response += $0 })
        #expect(request == form)
        let isWhole = response == body
        #expect(isWhole)
    }

    @Test
    func `with redaction, proxyship delivers only the size of a body of more than 4 MiB`()
        throws
    {
        try record { recorder in
            for count in [4 << 20, (4 << 20) + 1] {
                let body = [UInt8](repeating: 0x61, count: count)
                recorder.record(Samples.complete(recorder.nextExchangeID(), responseBody: body))
            }
        }
        var maker = BatchMaker(try store.reader(), filter: nil, redacts: true, isFinal: true)
        let whole = try maker.next(after: .sample(), keptFromNs: nil)?.exchanges.first
        #expect(whole?.record.responseBody?.count == 4 << 20)
        let found = try maker.next(after: .sample(through: 1), keptFromNs: nil)?.exchanges.first
        let left = try #require(found)
        #expect(left.record.responseBody == [])
        #expect(left.record[.responseBytes] == .integer((4 << 20) + 1))
        #expect(left.record[.responseKeptBytes] == .integer(0))
        let hasLongBody = left.longBody != nil
        #expect(!hasLongBody)
    }

    // MARK: Messages

    /// More than fit into one page.
    private static let texts = (0..<40).map { #"{"token":"s3cr3t","n":\#($0)}"# }

    private func recordSocket() throws {
        try record { recorder in
            recorder.record(Samples.complete(recorder.nextExchangeID()))
            let messages = DeliveredExchangeTests.texts.enumerated().map {
                Samples.message(Int64($0.offset), $0.element)
            }
            recorder.record(
                Samples.socket(
                    recorder.nextExchangeID(),
                    messages + [Samples.message(40, .binary, .toClient, bytes: [0, 1])]))
        }
    }

    @Test func `WebSocket messages are delivered in order, and only with WebSocket exchanges`()
        throws
    {
        try recordSocket()
        let found = try exchanges(redacts: false)
        #expect(found.map { $0.messages != nil } == [false, true])
        let rows = try messages(try #require(found.last))
        #expect(rows.map(\.position) == Array(0...40))
        let texts = rows.dropLast().map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts == DeliveredExchangeTests.texts)
        #expect(rows.last?.bytes == [0, 1])
    }

    @Test
    func `credentials in delivered text messages are redacted, and binary contents are left out`()
        throws
    {
        try recordSocket()
        let rows = try messages(try #require(try exchanges(redacts: true).last))
        let texts = rows.dropLast().map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts == (0..<40).map { #"{"token":"REDACTED","n":\#($0)}"# })
        #expect(rows.last?.bytes == [])
        #expect(rows.last?.byteCount == 2)
        #expect(rows.last?.flags.contains(.cut) == true)
    }

    @Test func `if the receiver of delivered messages throws an error, no more messages are read`()
        throws
    {
        try recordSocket()
        let exchange = try #require(try exchanges(redacts: false).last)
        var pageCount = 0
        let error = #expect(throws: (any Error).self) {
            try exchange.messages?({ _ in
                pageCount += 1
                throw Gone()
            })
        }
        #expect(pageCount == 1)
        #expect(String(describing: error).contains("Gone"))
    }

    // MARK: Connections

    @Test(arguments: [false, true])
    func `exchanges are delivered with their connections; redaction removes HTTP/2 frame bytes`(
        redacts: Bool
    ) throws {
        try record { recorder in
            var client = ConnectionRecord(
                id: recorder.nextConnectionID(), side: .client, openedAt: Samples.wallStart,
                peerAddress: "127.0.0.1:49152", localAddress: "127.0.0.1:8080")
            client.http2 = HTTP2ConnectionFacts(
                ourSettings: [.init(number: 3, value: 100)], frames: Samples.framesWithBytes)
            recorder.record(client)
            for _ in 0..<2 {
                var update = Samples.complete(recorder.nextExchangeID())
                update.clientConnection = client.id
                update.frames = Samples.framesWithBytes
                recorder.record(update)
            }
        }
        let found = try exchanges(redacts: redacts)
        #expect(found.count == 2)
        for exchange in found {
            #expect(exchange.client?.peerAddress == "127.0.0.1:49152")
            #expect(exchange.server == nil)
            let kept: [[UInt8]] = [redacts ? [] : [0, 0, 0, 0, 1, 0, 0, 0, 5], []]
            let facts = try #require(exchange.client?.http2)
            #expect(FrameTimeline.records(facts.frames).map(\.bytes) == kept)
            #expect(FrameTimeline.records(exchange.record.exchange.frames).map(\.bytes) == kept)
        }
    }
}
