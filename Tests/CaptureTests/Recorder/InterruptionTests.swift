import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

@Suite struct `A recorder that is killed` {
    let store = TemporaryStore()

    @Test func `killing the recorder loses no committed exchange and marks open ones as failed`()
        async throws
    {
        let path = store.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let recorder = try Recorder(
                directory: DataDirectory(path: path), configuration: .forTests)
            for number in 0..<500 {
                recorder.recordSample(
                    "/done/\(number)", responseBody: [UInt8](repeating: 1, count: number * 20))
            }
            recorder.record(Samples.begun(recorder.nextExchangeID(), "/open"))
            try recorder.flush()
            // On its way when the end comes: may be there or not, but never half.
            for number in 0..<5_000 { recorder.recordSample("/late/\(number)?a=1") }
            kill(getpid(), SIGKILL)
        }
        let recorder = try store.recorder()
        #expect(recorder.status.interruptedCount == 1)
        let reader = try store.reader()
        #expect(try reader.integrityCheck().isEmpty)
        let rows = try reader.rows(.oldest, limit: 10_000)
        #expect(rows.filter { $0.path?.hasPrefix("/done/") == true }.count == 500)
        for row in rows where row.path?.hasPrefix("/done/") == true {
            let number = try #require(row.path?.split(separator: "/").last.flatMap { Int($0) })
            #expect(try reader.exchange(row.id)?.response?.body.kept.count == number * 20)
        }
        let open = try #require(rows.first { $0.path == "/open" })
        #expect(open.state == .failed)
        #expect(
            open.error == "proxy shutdown: recorder stopped before the exchange ended")
        #expect(recorder.recordSample() > rows.map(\.id).max() ?? open.id)
        recorder.stop()
        #expect(try store.sql("SELECT count(*) FROM exchange WHERE state = 0") == ["0"])
    }
}
