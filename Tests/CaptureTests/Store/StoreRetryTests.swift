import Capture
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

struct StoreRetryTests {
    private struct Other: Error {}

    private let busy = StoreError.busy(path: "/s", pid: 7)

    @Test func `opening a busy store is retried until it succeeds`() throws {
        var attempts = 0
        let value = try StoreRetry.whileBusy(seconds: 60) {
            attempts += 1
            if attempts < 3 { throw busy }
            return attempts
        }
        #expect(value == 3)
    }

    @Test func `the error about a busy store is thrown when the retry time is over`() {
        var attempts = 0
        #expect(throws: busy) {
            try StoreRetry.whileBusy(seconds: 0) {
                attempts += 1
                throw busy
            }
        }
        #expect(attempts == 1)
    }

    @Test func `opening a busy store is retried twenty times a second`() {
        var attempts = 0
        #expect(throws: busy) {
            try StoreRetry.whileBusy(seconds: 1) {
                attempts += 1
                throw busy
            }
        }
        #expect(attempts == 21)
    }

    @Test
    func `the caller is asked before each retry to open a busy store and may stop the retries`() {
        var errors: [StoreError] = []
        var attempts = 0
        #expect(throws: busy) {
            try StoreRetry.whileBusy(seconds: 60) { error in
                errors.append(error)
                return errors.count < 2
            } attempt: {
                attempts += 1
                throw busy
            }
        }
        #expect(attempts == 2 && errors == [busy, busy])
    }

    @Test func `errors other than a busy store are thrown without a retry`() {
        var attempts = 0
        #expect(throws: StoreError.stopped) {
            try StoreRetry.whileBusy(seconds: 60) {
                attempts += 1
                throw StoreError.stopped
            }
        }
        #expect(throws: Other.self) {
            try StoreRetry.whileBusy(seconds: 60) {
                attempts += 1
                throw Other()
            }
        }
        #expect(attempts == 2)
    }

    @Test func `retrying opens a store once the recorder that used it has stopped`() throws {
        let store = TemporaryStore()
        let first = try store.recorder()
        let second = try StoreRetry.whileBusy(seconds: 60) { _ in
            first.stop()
            return true
        } attempt: {
            try store.recorder()
        }
        second.recordSample("/after")
        second.stop()
        #expect(try store.reader().exchangeCount() == 1)
    }
}
