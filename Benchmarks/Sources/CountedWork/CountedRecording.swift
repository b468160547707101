internal import BenchmarkSamples
internal import Capture
internal import Foundation
internal import HTTPModel

/// Exchanges recorded, from the sender's call to the commit.
enum CountedRecording {
    /// Exchanges in one batch: as many as some thousands a second fill one with, and always the
    /// same, since what a commit costs is shared by them.
    private static let batchCount = 200

    static func run(_ sample: StoredSample, _ count: Int) throws -> Int {
        let path =
            FileManager.default.temporaryDirectory.path + "/proxyd-count-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let recorder = try Recorder(directory: DataDirectory(path: path))
        defer { recorder.stop() }
        for number in 0..<count {
            recorder.record(sample.update(recorder.nextExchangeID()))
            if number % batchCount == batchCount - 1 { try flush(recorder) }
        }
        try flush(recorder)
        return Int(clamping: recorder.status.exchangeCount)
    }

    private static func flush(_ recorder: Recorder) throws {
        try recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
    }
}
