import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ClientLib

/// When what is recorded of a call is passed to the sink.
struct CallRecordTests {
    private let sink = MemoryExchangeSink()
    private let response = ResponseHead(status: 200, reason: "OK", fields: HeaderFields())

    private func record(keptByteCountMax: Int = 1 << 20) -> CallRecord {
        let request = TransportRequest(
            url: RawURL("http://a.test/"),
            head: RequestHead(method: .get, target: [0x2F], fields: HeaderFields()),
            framing: .none, timeline: timeline)
        return CallRecord(
            request, sink: sink, connections: RecordedConnections(sink: sink),
            keptByteCountMax: keptByteCountMax)
    }

    private var timeline: Timeline { Timeline(wallStart: 1, start: 1) }
    private var report: TransportReport { TransportReport(timeline: timeline) }

    @Test func `a short exchange is recorded in one update`() throws {
        let record = record()
        record.note(response, report)
        record.appendResponse([1, 2], report)
        record.appendResponse([3], report)
        #expect(sink.updates.isEmpty && !record.isOver)
        record.complete(report)
        let update = try #require(sink.updates.first)
        #expect(sink.updates.count == 1 && record.isOver)
        #expect(update.isFirst && update.state == .complete)
        #expect(update.responseBody.appended == [1, 2, 3] && update.responseBody.isComplete)
    }

    @Test func `a long exchange is recorded in several updates that together have the whole body`()
    {
        let record = record()
        record.note(response, report)
        let piece = [UInt8](repeating: 7, count: 40_000)
        for _ in 0..<5 { record.appendResponse(piece, report) }
        record.complete(report)
        #expect(sink.updates.map(\.responseBody.appended.count) == [80_000, 80_000, 40_000])
        #expect(sink.updates.map(\.responseBody.byteCount) == [80_000, 160_000, 200_000])
        #expect(sink.updates.map(\.isFirst) == [true, false, false])
        #expect(sink.updates.map(\.state) == [.active, .active, .complete])
        #expect(sink.exchanges.first?.responseHead?.status == 200)
    }

    @Test
    func `HTTP/2 details recorded during an exchange are not recorded again when it ends`() {
        let record = record()
        var report = report
        var facts = HTTP2Facts()
        facts.reset = .init(side: .server, isOurs: false, code: .cancel)
        report.http2 = facts
        record.flush(report)
        record.flush(report)
        record.fail(ClientError(.network(.closedEarly)), report)
        #expect(sink.updates.map { $0.http2 == facts } == [true, false])
        #expect(sink.exchanges.first?.http2?.reset?.code == .cancel)
        #expect(sink.updates.last?.failure?.kind == .closedEarly)
    }

    @Test func `nothing is recorded after an exchange has ended`() {
        let record = record()
        record.abandon(report)
        record.complete(report)
        record.flush(report)
        record.appendResponse([1], report)
        #expect(sink.updates.map(\.state) == [.failed])
        #expect(sink.updates.first?.failure?.message == "the client cancelled the request")
    }

    @Test func `only the first bytes of a large body are recorded, but all are counted`() throws {
        let record = record(keptByteCountMax: 3)
        record.note(response, report)
        record.appendResponse([1, 2], report)
        record.appendResponse([3, 4], report)
        record.appendResponse([5], report)
        record.complete(report)
        let body = try #require(sink.updates.first?.responseBody)
        #expect(body.appended == [1, 2, 3] && body.byteCount == 5)
    }
}
