internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import Glibc
internal import ProxydHTTPModel

/// Where imported exchanges go: to the daemon where one runs, else into the store, which is made
/// where there is none.
enum ImportDestination {
    case daemon(ControlClient)
    case ourselves(Recorder)

    /// Long enough for a daemon to start or another command to end, in microseconds.
    private static let retryUs: UInt32 = 50_000
    private static let retryCountMax = 100
    /// Octets of updates in one command to the daemon; in base64 they fit a line.
    private static let commandByteCountMax = 1 << 20
    /// How long indexes are filled before progress is shown again, in nanoseconds.
    private static let indexingNs: Int64 = 100_000_000

    /// Finds the daemon, or takes the store's lock.
    static func open(_ directory: DataDirectory) throws -> ImportDestination {
        OwnerIdentity.assume(of: directory.path)
        for attempt in 0...retryCountMax {
            if let client = try StoreChanger.daemon(directory) { return .daemon(client) }
            do throws(StoreError) {
                return .ourselves(try Recorder(directory: directory, configuration: configuration))
            } catch {
                guard case .busy = error, attempt < retryCountMax else {
                    throw CommandFailure(error.description)
                }
                usleep(retryUs)
            }
        }
        throw CommandFailure("\(directory.storePath) is in use")
    }

    /// We wait for each batch, so that nothing may be left out for want of room, and `close()`
    /// makes all of them safe; deleting old exchanges is the daemon's work.
    private static var configuration: RecorderConfiguration {
        var configuration = RecorderConfiguration()
        configuration.retention = RetentionPolicy()
        configuration.queueByteCountMax = .max / 4
        return configuration
    }

    /// The next numbers, ascending.
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

    /// Fills index and search files for a while, and says how far they are; nil where that is the
    /// daemon's work.
    func fillIndexes() throws -> IndexingProgress? {
        guard case .ourselves(let recorder) = self else { return nil }
        return try StoreAccess.attempt { () throws(StoreError) in
            try recorder.wait {
                recorder.fillIndexes(
                    durationNs: ImportDestination.indexingNs, completion: $0)
            }
        }
    }

    /// Gives the store back.
    func close() {
        if case .ourselves(let recorder) = self { recorder.stop() }
    }

    /// Short updates together, long ones in pieces.
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
