internal import Capture
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydRuleActing
internal import Synchronization

extension MockSource {
    /// Reads the captures of a data directory while its recorder is running.
    init(_ directory: DataDirectory, onRead: @escaping @Sendable (MockReport) -> Void) {
        let store = OpenedStore(directory)
        self.init(
            read: { filter, take in
                let reader = try store.reader()
                try reader.forEachRow(matching: filter, .oldest) { row throws(StoreError) in
                    let exchange = try reader.exchange(
                        row.id, bodyByteCountMax: MockSource.bodyByteCountMax)
                    return exchange.map(take) ?? true
                }
            },
            exchange: { id in
                try store.reader().exchange(
                    ExchangeID(rawValue: id), bodyByteCountMax: MockSource.bodyByteCountMax)
            }, onRead: onRead)
    }
}

/// A store that is opened when it is first read.
private final class OpenedStore: Sendable {
    private let directory: DataDirectory
    private let opened = Mutex<StoreReader?>(nil)

    init(_ directory: DataDirectory) { self.directory = directory }

    func reader() throws(StoreError) -> StoreReader {
        if let reader = opened.withLock({ $0 }) { return reader }
        let reader = try StoreReader(directory: directory)
        opened.withLock { $0 = reader }
        return reader
    }
}
