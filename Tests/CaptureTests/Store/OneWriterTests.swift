import Capture
import Foundation
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

@Suite struct `One writer` {
    let store = TemporaryStore()

    @Test
    func `a second recorder for a store fails with an error naming the first one's process ID`()
        throws
    {
        let recorder = try store.recorder()
        let expected = StoreError.busy(
            path: store.directory.storePath, pid: ProcessInfo.processInfo.processIdentifier)
        #expect(throws: expected) { try store.recorder() }
        recorder.recordSample()
        try recorder.flush()
        recorder.stop()
    }

    @Test func `a store can be opened by another recorder after the first stopped`() throws {
        try store.recorder().stop()
        try store.recorder().stop()
        #expect(try store.reader().exchangeCount() == 0)
    }

    @Test func `a store can be read during and after recording`() throws {
        let recorder = try store.recorder()
        let reader = try store.reader()
        recorder.recordSample("/one")
        try recorder.flush()
        #expect(try reader.rows(.oldest, limit: 10).map(\.path) == ["/one"])
        recorder.recordSample("/two")
        recorder.stop()
        #expect(try reader.rows(.oldest, limit: 10).map(\.path) == ["/one", "/two"])
        #expect(try store.reader().rows(.oldest, limit: 10).count == 2)
    }

    @Test func `opening a reader where there is no store is an error`() throws {
        #expect(throws: StoreError.missing(path: store.directory.storePath)) {
            try store.reader()
        }
    }

    @Test func `requests to a stopped recorder fail instead of hanging`() throws {
        let recorder = try store.recorder()
        recorder.stop()
        recorder.stop()
        #expect(throws: StoreError.stopped) { try recorder.flush() }
        #expect(throws: StoreError.stopped) { try recorder.clear(.all) }
        #expect(recorder.status.state == .stopped)
    }

    @Test func `a new recorder continues the exchange numbers even if all exchanges were cleared`()
        throws
    {
        var recorder = try store.recorder()
        let first = recorder.recordSample()
        let second = recorder.recordSample()
        #expect(first < second)
        #expect(try recorder.clear(.all) == 2)
        recorder.stop()
        recorder = try store.recorder()
        #expect(recorder.recordSample() > second)
        recorder.stop()
    }
}
