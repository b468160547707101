internal import BenchmarkSamples
internal import BenchmarkSupport
internal import Capture
internal import Foundation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// What it costs to make up and record short exchanges, from the event loop's call to the commit. Of
/// rounds on one store the cheapest counts: indexing, which is done in steps, is in some of them.
/// What recording costs as a store grows is measured by `million.py`.
@main
enum StoreBenchmark {
    private static let operationCount = 20_000

    static func main() throws {
        let path =
            FileManager.default.temporaryDirectory.path + "/proxyd-bench-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let recorder = try Recorder(directory: DataDirectory(path: path))
        defer { recorder.stop() }
        Measurement.report("an exchange with a query", operationCount: operationCount) {
            record(.withQuery, in: recorder)
        }
        Measurement.report("an exchange with a JSON body", operationCount: operationCount) {
            record(.withJSON, in: recorder)
        }
        let status = recorder.status
        print("\(status.exchangeCount) exchanges, \(status.storeByteCount >> 20) MiB")
    }

    private static func record(_ sample: StoredSample, in recorder: Recorder) -> Int {
        for _ in 0..<operationCount {
            recorder.record(sample.update(recorder.nextExchangeID()))
            // The proxy reads slower then; here it is waited for.
            while recorder.isCongested { usleep(1_000) }
        }
        try? recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
        return Int(clamping: recorder.status.exchangeCount)
    }
}
