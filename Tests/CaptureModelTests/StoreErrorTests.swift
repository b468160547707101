import ProxydCaptureModel
import ProxydHTTPModel
import Synchronization
import Testing

/// What users read of an error of the store.
struct StoreErrorTests {
    @Test(
        arguments: [
            (.directory(path: "/d", problem: "is not a folder"), "/d: is not a folder"),
            (.busy(path: "/s", pid: 7), "/s is in use by process 7"),
            (.busy(path: "/s", pid: nil), "/s is in use by another process"),
            (
                .newerSchema(path: "/s", found: 9, supported: 8),
                "/s has schema version 9, newer than this program's 8: upgrade proxyd and proxyctl"
            ),
            (.foreignFile(path: "/s"), "/s is a database of another program"),
            (.missing(path: "/s"), "/s is missing or empty: nothing has been captured yet"),
            (.sqlite(code: 11, message: "malformed"), "SQLite error 11: malformed"),
            (.central("gone"), "central store: gone"), (.full("no space"), "no space"),
            (.notFound(5), "there is no exchange 5"), (.notPermitted("only SELECT"), "only SELECT"),
            (.noThread, "the system cannot start a thread for the recorder (see ulimit -u)"),
            (.stopped, "the recorder was stopped"), (.cancelled, "cancelled"),
        ] as [(StoreError, String)])
    func `a store error is described to users in one line`(error: StoreError, text: String) {
        #expect("\(error)" == text)
    }
}

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

    @Test
    func `a read cancellation applies inside its closure, but not inside a nested cancellation's`()
    {
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
