import Capture
import Foundation
import ProxydCaptureModel
import ProxydContentCoding
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// Messages that are parts of bodies come back from the store, also while their exchange runs.
@Suite struct BodyMessageRecordingTests {
    private let store = TemporaryStore()

    private func record(_ range: Range<Int64>, _ kind: MessageRecord.Kind) -> MessageRecord {
        MessageRecord(
            direction: .toClient, kind: kind, byteCount: Int64(range.count),
            content: .body(range))
    }

    private func texts(_ id: ExchangeID) throws -> [String] {
        try store.reader().messages(of: id, .oldest, limit: 10, byteCountMax: 100).map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
    }

    @Test(arguments: [nil, "gzip", "deflate"])
    func `server-sent events are read from a body with a content coding`(coding: String?)
        throws
    {
        let recorder = try store.recorder()
        let body = Array("data: a\n\ndata: bc\n\n".utf8)
        var update = Samples.begun(recorder.nextExchangeID())
        var fields = [("Content-Type", "text/event-stream")]
        if let coding { fields.append(("Content-Encoding", coding)) }
        update.responseHead = Samples.responseHead(fields: fields)
        update.responseBody.set(
            try coding.flatMap(ContentEncoder.Coding.init).map {
                try ContentEncoder.encode(body.span, as: $0)
            } ?? body)
        update.messages = [record(0..<7, .event), record(9..<17, .event)]
        update.messages[1].position = 1
        recorder.record(update)
        try recorder.flush()
        #expect(try texts(update.id) == ["data: a", "data: bc"])
        #expect(try store.reader().row(update.id)?.messageCount == 2)
        recorder.stop()
    }

    @Test func `gRPC messages are read from a grpc-web-text body through its Base64 encoding`()
        throws
    {
        let recorder = try store.recorder()
        var update = Samples.begun(recorder.nextExchangeID())
        update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "application/grpc-web-text")])
        update.responseBody.set(Array("AAAAAAJoaQ==".utf8) + Array("gAAAAAA=".utf8))
        update.messages = [record(5..<7, .grpc), record(12..<12, .trailers)]
        update.messages[1].position = 1
        update.grpcStatus = 3
        recorder.record(update)
        try recorder.flush()
        #expect(try texts(update.id) == ["hi", ""])
        #expect(try store.reader().row(update.id)?.grpcStatus == 3)
        recorder.stop()
    }
}
