import ProxydCaptureModel
import ProxydHTTPModel
import Synchronization
import Testing

/// Reads that are ended from another thread, and what users are told of errors.
struct ReadCancellationTests {
    private final class Counter: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    private struct Broken: Error {}

    @Test func `a read in progress is interrupted, a finished one is not`() throws {
        let cancellation = ReadCancellation()
        let (first, second) = (Counter(), Counter())
        #expect(try cancellation.reading(interrupt: first.add) { 1 } == 1)
        let value = try cancellation.reading(interrupt: second.add) {
            cancellation.cancel()
            return 2
        }
        #expect(value == 2 && first.count == 0 && second.count == 1)
    }

    @Test func `later reads do not start`() {
        let cancellation = ReadCancellation()
        cancellation.cancel()
        let counter = Counter()
        #expect(throws: StoreError.cancelled) {
            try cancellation.reading(interrupt: counter.add) { Issue.record("it was read") }
        }
        #expect(counter.count == 0 && cancellation.isCancelled)
    }

    @Test func `after a read that failed nothing is interrupted`() {
        let cancellation = ReadCancellation()
        let counter = Counter()
        #expect(throws: Broken.self) {
            try cancellation.reading(interrupt: counter.add) { throw Broken() }
        }
        cancellation.cancel()
        #expect(counter.count == 0)
    }

    @Test func `it holds for the reads of its closure, and for those inside it alone`() {
        let (outer, inner) = (ReadCancellation(), ReadCancellation())
        #expect(!ReadCancellation.isCurrentCancelled)
        outer.run {
            outer.cancel()
            #expect(ReadCancellation.isCurrentCancelled)
            inner.run { #expect(!ReadCancellation.isCurrentCancelled) }
            #expect(ReadCancellation.isCurrentCancelled)
        }
        #expect(!ReadCancellation.isCurrentCancelled)
    }
}
