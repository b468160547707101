internal import BenchmarkSamples
internal import Capture
internal import Foundation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Exchanges recorded, from the sender's call to the commit.
enum CountedRecording {
    /// Exchanges that are waited for at a time: as many as some thousands a second fill a batch with.
    /// Where a counter slows the program down, the recorder takes them in two or three batches.
    static let batchCount = 200

    static func run(_ sample: StoredSample, _ count: Int) throws -> Int {
        try inDirectory { directory in
            let recorder = try Recorder(directory: directory)
            defer { recorder.stop() }
            for number in 0..<count {
                recorder.record(sample.update(recorder.nextExchangeID()))
                if number % batchCount == batchCount - 1 { try flush(recorder) }
            }
            try flush(recorder)
            return Int(clamping: recorder.status.exchangeCount)
        }
    }

    /// Runs work in a data directory of its own, which goes with it.
    static func inDirectory(_ work: (DataDirectory) throws -> Int) throws -> Int {
        let path =
            FileManager.default.temporaryDirectory.path + "/proxyd-count-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try work(DataDirectory(path: path))
    }

    static func flush(_ recorder: Recorder) throws {
        try recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
    }
}
