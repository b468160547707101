import Capture
import Foundation
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

@Suite struct `One writer` {
    let store = TemporaryStore()

    @Test func `a second recorder is refused and told who has the store`() throws {
        let recorder = try store.recorder()
        let expected = StoreError.busy(
            path: store.directory.storePath, pid: ProcessInfo.processInfo.processIdentifier)
        #expect(throws: expected) { try store.recorder() }
        recorder.recordSample()
        try recorder.flush()
        recorder.stop()
    }

    @Test func `the store is free again when the recorder stopped`() throws {
        try store.recorder().stop()
        try store.recorder().stop()
        #expect(try store.reader().exchangeCount() == 0)
    }

    @Test func `readers work beside a recorder and after it`() throws {
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

    @Test func `a reader without a store says so`() throws {
        #expect(throws: StoreError.missing(path: store.directory.storePath)) {
            try store.reader()
        }
    }

    @Test func `after a stop nothing is taken and no one hangs`() throws {
        let recorder = try store.recorder()
        recorder.stop()
        recorder.stop()
        #expect(throws: StoreError.stopped) { try recorder.flush() }
        #expect(throws: StoreError.stopped) { try recorder.clear(.all) }
        #expect(recorder.status.state == .stopped)
    }

    @Test func `numbers go on where the last recorder ended, even when all was cleared`() throws {
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
