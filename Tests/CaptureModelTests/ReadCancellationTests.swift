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

    @Test func `cancelling a store read interrupts it while it runs but not after it has finished`()
        throws
    {
        let cancellation = ReadCancellation()
        let (first, second) = (Counter(), Counter())
        #expect(try cancellation.reading(interrupt: first.add) { 1 } == 1)
        let value = try cancellation.reading(interrupt: second.add) {
            cancellation.cancel()
            return 2
        }
        #expect(value == 2 && first.count == 0 && second.count == 1)
    }

    @Test func `no further store reads start after a cancellation`() {
        let cancellation = ReadCancellation()
        cancellation.cancel()
        let counter = Counter()
        #expect(throws: StoreError.cancelled) {
            try cancellation.reading(interrupt: counter.add) { Issue.record("it was read") }
        }
        #expect(counter.count == 0 && cancellation.isCancelled)
    }

    @Test func `cancelling after a store read has failed interrupts nothing`() {
        let cancellation = ReadCancellation()
        let counter = Counter()
        #expect(throws: Broken.self) {
            try cancellation.reading(interrupt: counter.add) { throw Broken() }
        }
        cancellation.cancel()
        #expect(counter.count == 0)
    }

    @Test func `a read cancellation applies within its closure, except in a nested cancellation`() {
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
