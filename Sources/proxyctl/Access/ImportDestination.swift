internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydHTTPModel

/// Where imported exchanges are stored: in a running daemon, or directly in the store, which is
/// created if it does not exist.
enum ImportDestination {
    case daemon(ControlClient)
    case ourselves(Recorder)

    /// The size of the updates in one command to the daemon in bytes; in base64 they fit in a line.
    private static let commandByteCountMax = 1 << 20
    /// How long indexes are filled before progress is shown again, in nanoseconds.
    private static let indexingNs: Int64 = 100_000_000

    /// Connects to the daemon, or takes the store's lock.
    static func open(_ directory: DataDirectory) throws -> ImportDestination {
        OwnerIdentity.assume(of: directory.path)
        return switch try StoreWriter.open(directory, configuration) {
        case .daemon(let client): .daemon(client)
        case .ourselves(let recorder): .ourselves(recorder)
        }
    }

    /// Every batch is awaited, so nothing may be dropped for lack of space, and `close()` makes
    /// everything durable. The daemon deletes old exchanges.
    private static var configuration: RecorderConfiguration {
        var configuration = RecorderConfiguration()
        configuration.retention = RetentionPolicy()
        configuration.queueByteCountMax = .max / 4
        return configuration
    }

    /// Takes the next numbers, ascending.
    func takeIdentifiers(
        exchangeCount: Int, connectionCount: Int
    ) throws -> (exchanges: [ExchangeID], connections: [ConnectionID]) {
        switch self {
        case .daemon(let client):
            try DaemonAccess.attempt { () throws(ControlError) in
                try client.takeIdentifiers(
                    exchangeCount: exchangeCount, connectionCount: connectionCount)
            }
        case .ourselves(let recorder):
            (
                (0..<exchangeCount).map { _ in recorder.nextExchangeID() },
                (0..<connectionCount).map { _ in recorder.nextConnectionID() }
            )
        }
    }

    /// Stores a batch; returns when it is committed.
    func store(
        _ connections: [ConnectionRecord], _ updates: [ExchangeUpdate],
        _ annotations: [AnnotationMessage]
    ) throws {
        switch self {
        case .daemon(let client):
            try DaemonAccess.attempt { () throws(ControlError) in
                try ImportDestination.send(connections, updates, to: client)
                for change in annotations { try client.annotate(change) }
            }
        case .ourselves(let recorder):
            for connection in connections { recorder.record(connection) }
            for update in updates { recorder.record(update) }
            try StoreAccess.attempt { () throws(StoreError) in
                try recorder.wait { recorder.flush(completion: $0) }
                for change in annotations {
                    let change = AnnotationChange(
                        id: ExchangeID(rawValue: change.exchangeID), note: change.note,
                        addedTags: change.addedTags, isPinned: change.isPinned)
                    try recorder.wait { recorder.annotate(change, completion: $0) }
                }
            }
        }
    }

    /// Fills index and search files for a while and reports their progress, or returns nil if the
    /// daemon does this.
    func fillIndexes() throws -> IndexingProgress? {
        guard case .ourselves(let recorder) = self else { return nil }
        return try StoreAccess.attempt { () throws(StoreError) in
            try recorder.wait {
                recorder.fillIndexes(
                    durationNs: ImportDestination.indexingNs, completion: $0)
            }
        }
    }

    /// Releases the store.
    func close() {
        if case .ourselves(let recorder) = self { recorder.stop() }
    }

    /// Sends short updates together, and long ones in pieces.
    private static func send(
        _ connections: [ConnectionRecord], _ updates: [ExchangeUpdate], to client: ControlClient
    ) throws(ControlError) {
        if !connections.isEmpty {
            try client.importExchanges(connections: connections, updates: [])
        }
        var waiting: [UpdateMessage] = []
        var byteCount = 0
        for update in updates {
            if byteCount + update.heldByteCount > commandByteCountMax, !waiting.isEmpty {
                _ = try client.perform(.importExchanges(connections: [], updates: waiting))
                waiting = []
                byteCount = 0
            }
            if update.heldByteCount > commandByteCountMax {
                try client.importExchanges(updates: [update])
            } else {
                waiting.append(UpdateMessage(update))
                byteCount += update.heldByteCount
            }
        }
        guard !waiting.isEmpty else { return }
        _ = try client.perform(.importExchanges(connections: [], updates: waiting))
    }
}
