import Capture
import ProxydCaptureModel
import ProxydStoreTestSupport
import Testing

struct StoreRetryTests {
    private struct Other: Error {}

    private let busy = StoreError.busy(path: "/s", pid: 7)

    @Test func `an attempt is repeated until the store is free`() throws {
        var attempts = 0
        let value = try StoreRetry.whileBusy(seconds: 60) {
            attempts += 1
            if attempts < 3 { throw busy }
            return attempts
        }
        #expect(value == 3)
    }

    @Test func `when the time is over, the error is thrown`() {
        var attempts = 0
        #expect(throws: busy) {
            try StoreRetry.whileBusy(seconds: 0) {
                attempts += 1
                throw busy
            }
        }
        #expect(attempts == 1)
    }

    @Test func `a second has twenty retries`() {
        var attempts = 0
        #expect(throws: busy) {
            try StoreRetry.whileBusy(seconds: 1) {
                attempts += 1
                throw busy
            }
        }
        #expect(attempts == 21)
    }

    @Test func `the caller is asked before each wait, and may end it`() {
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

    @Test func `other errors are thrown immediately`() {
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

    @Test func `a store that its recorder releases is opened`() throws {
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
