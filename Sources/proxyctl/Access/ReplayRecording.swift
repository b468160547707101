internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydHTTPModel

/// Where replays are recorded: in the running daemon, or directly in the store.
enum ReplayRecording {
    case daemon(ControlExchangeSink)
    case ourselves(Recorder)

    /// Connects to the daemon, or takes the store's lock.
    static func open(_ directory: DataDirectory) throws -> ReplayRecording {
        switch try ImportDestination.open(directory) {
        case .ourselves(let recorder): return .ourselves(recorder)
        case .daemon(let news):
            guard let numbers = try StoreWriter.daemon(directory) else {
                throw CommandFailure("the daemon ended")
            }
            return .daemon(ControlExchangeSink(numbers: numbers, news: news))
        }
    }

    /// The sink to record to.
    var sink: any ExchangeSink {
        switch self {
        case .daemon(let sink): sink
        case .ourselves(let recorder): recorder
        }
    }

    /// Waits until everything is committed, and releases the store.
    /// - Throws: Why something could not be recorded.
    func finish() throws {
        switch self {
        case .daemon(let sink): try sink.finish()
        case .ourselves(let recorder):
            defer { recorder.stop() }
            try StoreAccess.attempt { () throws(StoreError) in
                try recorder.wait { recorder.flush(completion: $0) }
            }
        }
    }
}
