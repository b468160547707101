internal import Capture
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import StoreSupport

/// What a daemon does with a store that it finds: records, keeps to its limits, and clears.
enum WholeRecording {
    private static let configuration: RecorderConfiguration = {
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 0
        configuration.retention = RetentionPolicy(
            ageMaxSeconds: .max, exchangeCountMax: 3, storeByteCountMax: 1)
        return configuration
    }()

    static func run(_ directory: DataDirectory) {
        do throws(StoreError) {
            let recorder = try Recorder(directory: directory, configuration: configuration)
            defer { recorder.stop() }
            recorder.record(SampleExchanges.short(recorder.nextExchangeID()))
            try recorder.wait { recorder.flush(completion: $0) }
            _ = try recorder.wait { recorder.clear(.unpinned, completion: $0) }
            _ = try recorder.wait { recorder.clear(.all, completion: $0) }
        } catch {
            // That is how a damaged store is told of.
        }
    }
}
