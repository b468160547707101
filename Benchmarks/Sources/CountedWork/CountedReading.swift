internal import BenchmarkSamples
internal import Capture
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Pages of rows read from a small store.
enum CountedReading {
    /// Rows of a page.
    private static let pageRowCount = 50

    static func pages(_ count: Int) throws -> Int {
        try CountedRecording.inDirectory { directory in
            let recorder = try Recorder(directory: directory)
            defer { recorder.stop() }
            for _ in 0..<CountedRecording.batchCount {
                recorder.record(StoredSample.withQuery.update(recorder.nextExchangeID()))
            }
            try CountedRecording.flush(recorder)
            let reader = try StoreReader(directory: directory)
            var witness = 0
            for _ in 0..<count {
                witness &+= try reader.rows(.newest, limit: pageRowCount).count
            }
            return witness
        }
    }
}
