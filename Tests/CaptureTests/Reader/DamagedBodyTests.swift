@testable import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@Suite struct `A body of which a piece is elsewhere` {
    let store = TemporaryStore()

    /// Read from each position before it, the piece would come millions of times.
    @Test(.timeLimit(.minutes(1)))
    func `a stored body with a missing piece is read up to the gap`() throws {
        let recorder = try store.recorder()
        let body = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        let id = recorder.recordSample(responseBody: body)
        try recorder.flush()
        recorder.stop()
        func key(_ position: Int64) -> Int64 {
            Schema.ChunkKey.key(exchange: id.rawValue, part: .response, position: position)
        }
        try SQLiteConnection(path: store.directory.storePath, .writing).run(
            "UPDATE body_piece SET key = ? WHERE key = ?",
            [.integer(key(1_000_000)), .integer(key(1))])
        let kept = try #require(try store.reader().exchange(id)?.response?.body.kept)
        #expect(!kept.isEmpty)
        #expect(kept == Array(body.prefix(kept.count)))
        #expect(kept.count < body.count)
    }
}
