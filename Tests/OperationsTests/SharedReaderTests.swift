import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import ProxydStoreTestSupport
import Synchronization
import Testing

/// The store is kept open as long as its file is the same.
final class SharedReaderTests: Sendable {
    private let store = TemporaryStore()
    private let openCount = Mutex(0)
    private let identity = Mutex<UInt64?>(1)

    private func shared() -> SharedReader {
        SharedReader(
            { [self] in
                openCount.withLock { $0 += 1 }
                return try store.reader()
            }, storeIdentity: { [self] in identity.withLock { $0 } })
    }

    private func count(
        _ shared: SharedReader, _ cancellation: ReadCancellation = ReadCancellation()
    ) throws -> Int64 {
        try shared.read(cancellation) { (reader) throws(StoreError) in try reader.exchangeCount() }
    }

    private func record() throws {
        let recorder = try store.recorder()
        recorder.recordSample()
        recorder.stop()
    }

    @Test func `a store file is kept open between reads and reopened after it is replaced`()
        throws
    {
        try record()
        let shared = shared()
        for _ in 0..<3 { #expect(try count(shared) == 1) }
        #expect(openCount.withLock { $0 } == 1)
        identity.withLock { $0 = 2 }
        for _ in 0..<3 { #expect(try count(shared) == 1) }
        #expect(openCount.withLock { $0 } == 2)
    }

    @Test func `reading a store that does not exist fails, and succeeds after it is created`()
        throws
    {
        let shared = shared()
        let problem = #expect(throws: AnswerProblem.self) { try shared.reader() }
        #expect(problem?.kind == .unavailable)
        #expect(problem?.description.hasSuffix("nothing has been captured yet") == true)
        try record()
        #expect(try count(shared) == 1)
    }

    @Test func `a read of the store that is cancelled fails with the error kind cancelled`() throws
    {
        try record()
        let cancellation = ReadCancellation()
        cancellation.cancel()
        let problem = #expect(throws: AnswerProblem.self) {
            try self.count(self.shared(), cancellation)
        }
        #expect(problem?.kind == .cancelled)
    }

    @Test(
        arguments: [
            (.notFound(1), .missing), (.missing(path: "/p"), .missing),
            (.notPermitted("no"), .invalid), (.cancelled, .cancelled),
            (.busy(path: "/p", pid: 1), .unavailable), (.full("full"), .unavailable),
            (.sqlite(code: 1, message: "m"), .unavailable), (.stopped, .unavailable),
        ] as [(StoreError, AnswerProblem.Kind)])
    func `errors from the store are mapped to error kinds of the API and keep their messages`(
        error: StoreError, kind: AnswerProblem.Kind
    ) {
        #expect(AnswerProblem(error).kind == kind)
        #expect(AnswerProblem(error).description == error.description)
        #expect(AnswerProblem(error).column == nil)
    }
}
