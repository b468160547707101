import Foundation
import ProxydStoreTestSupport
import Testing

@testable import Capture

/// What a search file's log has is copied into the file between two commits.
@Suite(.timeLimit(.minutes(10)))
struct SearchLogTests {
    private let searched = SearchedStore()

    /// How far a file has got without its log.
    private func throughID(_ number: Int) throws -> Int64? {
        let copy = searched.store.directory.path + "/copy.sqlite"
        try FileManager.default.copyItem(atPath: searched.files.path(number), toPath: copy)
        return try SearchFile(number, path: copy)?.extent.throughID
    }

    @Test func `after two commits, a search file has the data of both even without its WAL`() throws
    {
        let recorder = try searched.store.recorder()
        for number in 0..<4_100 { recorder.recordSample("/\(number)") }
        recorder.stop()
        let builder = searched.builder(exchangeCountMax: 10_000)
        while builder.step(lastExchangeID: 4_100, isInterrupted: { false }) {}
        #expect(try throughID(1) == 4_000)
        builder.close()
    }

    @Test func `a search file written while a reader uses it is complete without its WAL`()
        throws
    {
        let recorder = try searched.store.recorder()
        for number in 0..<60 { recorder.recordSample("/\(number)") }
        recorder.stop()
        let builder = searched.builder(exchangeCountMax: 40)
        var stepCount = 0
        _ = builder.step(lastExchangeID: 60) {
            stepCount += 1
            return stepCount > 3
        }
        let reader = try #require(try SearchFile(1, path: searched.files.path(1)))
        while builder.step(lastExchangeID: 60, isInterrupted: { false }) {}
        builder.close()
        #expect(try throughID(1) == 40)
        withExtendedLifetime(reader) {}
    }
}
