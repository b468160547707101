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

    @Test(
        arguments: [
            (.directory(path: "/d", problem: "is not a folder"), "/d: is not a folder"),
            (.busy(path: "/s", pid: 7), "/s is in use by process 7"),
            (.busy(path: "/s", pid: nil), "/s is in use by another process"),
            (
                .newerSchema(path: "/s", found: 9, supported: 8),
                "/s has schema version 9, newer than this program's 8"
            ),
            (.foreignFile(path: "/s"), "/s is a database of another program"),
            (.missing(path: "/s"), "/s does not exist: nothing has been captured yet"),
            (.sqlite(code: 11, message: "malformed"), "SQLite error 11: malformed"),
            (.central("gone"), "central store: gone"), (.full("no space"), "no space"),
            (.notFound(5), "there is no exchange 5"), (.notPermitted("only SELECT"), "only SELECT"),
            (.noThread, "the system cannot start a thread for the recorder (see ulimit -u)"),
            (.stopped, "the recorder was stopped"), (.cancelled, "cancelled"),
        ] as [(StoreError, String)])
    func `an error is one line for users`(error: StoreError, text: String) {
        #expect("\(error)" == text)
    }

    // MARK: Pages

    @Test func `pages say in which direction numbers go`() {
        let id = ExchangeID(rawValue: 1)
        let pages: [PageDirection] = [.newest, .oldest, .before(id), .after(id)]
        #expect(pages.map(\.isAscending) == [false, true, false, true])
        let messages: [MessagePage] = [.newest, .oldest, .before(1), .after(1), .at(1)]
        #expect(messages.map(\.isAscending) == [false, true, false, true, true])
    }

    @Test func `a folder without a server is the whole tree`() {
        #expect(PathPlace(folder: "/a/") == .everything)
        let server = ServerName(scheme: "http", host: "a", port: 80)
        #expect(PathPlace(server: server, folder: "/a/") != PathPlace(server: server))
    }

    @Test func `in a central store rows are in the order in which they started`() {
        var row = Rows.row(7)
        #expect(row.place == 7)
        row.storeName = "ci-1"
        #expect(row.place == 1_007)
    }
}
