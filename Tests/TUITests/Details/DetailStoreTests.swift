import ProxydPresentation
import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

/// Bodies out of a real store.
struct DetailStoreTests {
    /// gzip(1) of "hello\n".
    private let coded: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 2, 0, 0x20, 0x30,
        0x3A, 0x36, 6, 0, 0, 0,
    ]

    @Test
    func `a stored body can be shown decoded or as received, and a large one is loaded in pieces`()
        throws
    {
        let path = NSTemporaryDirectory() + "detail-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = DataDirectory(path: path)
        let large = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let recorder = try Recorder(directory: directory)
        defer { recorder.stop() }
        var first = DetailSamples.answer("text/plain", coded)
        first.response?.head = ResponseHead(
            status: 200, reason: "OK",
            fields: HeaderFields([
                (name: "Content-Type", value: "text/plain"),
                (name: "Content-Encoding", value: "gzip"),
            ]))
        let second = DetailSamples.answer("application/octet-stream", large)
        let exchanges = [first, second]
        _ = try recorder.wait { recorder.store(exchanges, completion: $0) }

        let rows = StoreRows(try StoreReader(directory: directory))
        let ids = try rows.page(
            RowRequest(filter: .everything, order: .recorded, anchor: .first, count: 10)
        ).rows.map(\.id)
        try #require(ids.count == 2)
        let context = WorkContext(
            rows: rows, exchanges: rows, hostActions: HostActions(), now: 0, isCancelled: { false })
        let text = try #require(try DetailSubject.read(ids[0], again: nil, context)).response
        #expect(text.source.read(from: 0, byteCount: 100) == Array("hello\n".utf8))
        #expect(text.facts.summary(text.source.extent) == "text/plain · gzip, 26 B → 6 B")
        text.load(text.raw, upTo: .max, ids[0], context)
        #expect(text.raw.read(from: 0, byteCount: 100) == coded)

        let body = try #require(try DetailSubject.read(ids[1], again: nil, context)).response
        #expect(body.source.extent.byteCount < large.count)
        body.load(body.source, upTo: .max, ids[1], context)
        #expect(body.source.extent.isComplete)
        #expect(body.source.read(from: 0, byteCount: large.count) == large)
    }
}
