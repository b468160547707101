internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydHTTPModel
internal import Dispatch
internal import Synchronization

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
        return switch try WritingProcess.open(directory, configuration) {
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
            try client.takeIdentifiers(
                exchangeCount: exchangeCount, connectionCount: connectionCount)
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
        _ annotations: [AnnotationChange]
    ) throws {
        switch self {
        case .daemon(let client):
            try ImportDestination.send(connections, updates, to: client)
            for change in annotations { try client.annotate(change) }
        case .ourselves(let recorder):
            for connection in connections { recorder.record(connection) }
            for update in updates { recorder.record(update) }
            try recorder.wait { recorder.flush(completion: $0) }
            for change in annotations {
                try recorder.wait { recorder.annotate(change, completion: $0) }
            }
        }
    }

    /// Fills index and search files for a while; returns the progress, nil if the daemon does it.
    func fillIndexes() throws -> IndexingProgress? {
        guard case .ourselves(let recorder) = self else { return nil }
        return try recorder.wait {
            recorder.fillIndexes(durationNs: ImportDestination.indexingNs, completion: $0)
        }
    }

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
        var waiting: [ExchangeUpdate] = []
        var byteCount = 0
        for update in updates {
            if byteCount + update.memoryByteCount > commandByteCountMax, !waiting.isEmpty {
                _ = try client.perform(.importExchanges(connections: [], updates: waiting))
                waiting = []
                byteCount = 0
            }
            if update.memoryByteCount > commandByteCountMax {
                try client.importExchanges(updates: [update])
            } else {
                waiting.append(update)
                byteCount += update.memoryByteCount
            }
        }
        guard !waiting.isEmpty else { return }
        _ = try client.perform(.importExchanges(connections: [], updates: waiting))
    }
}

/// Where replays are recorded: in the running daemon, or directly in the store.
enum ReplayRecording {
    case daemon(ControlExchangeSink)
    case ourselves(Recorder)

    static func open(_ directory: DataDirectory) throws -> ReplayRecording {
        switch try ImportDestination.open(directory) {
        case .ourselves(let recorder): return .ourselves(recorder)
        case .daemon(let news):
            guard let numbers = try WritingProcess.daemon(directory) else {
                throw CommandFailure("the daemon ended")
            }
            return .daemon(ControlExchangeSink(numbers: numbers, news: news))
        }
    }

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
            try recorder.wait { recorder.flush(completion: $0) }
        }
    }
}

/// Records to a running daemon, over its control socket.
///
/// Numbers are requested one by one, which blocks briefly. Updates are queued and sent in batches,
/// each committed before the next. Once the daemon is gone nothing more is recorded, and `finish()`
/// throws.
final class ControlExchangeSink: ExchangeSink {
    /// The maximum size of the queue in bytes; a full queue makes callers wait.
    private static let queueByteCountMax = 16 << 20
    /// The size that a connection counts for, in bytes.
    private static let connectionByteCount = 4_096

    private struct State {
        var connections: [ConnectionRecord] = []
        var updates: [ExchangeUpdate] = []
        /// The size of what is queued or being sent, in bytes.
        var byteCount = 0
        var isScheduled = false
        var resumptions: [@Sendable () -> Void] = []
        var failure: CommandFailure?
    }

    private let numbers: Mutex<ControlClient>
    private let news: Mutex<ControlClient>
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "recording")

    /// Creates a sink that records through one connection and requests numbers through another.
    init(numbers: sending ControlClient, news: sending ControlClient) {
        self.numbers = Mutex(numbers)
        self.news = Mutex(news)
    }

    /// Waits until everything is committed.
    /// - Throws: Why something could not be recorded.
    func finish() throws {
        queue.sync { drain() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    // MARK: ExchangeSink

    func nextExchangeID() -> ExchangeID {
        let id = take { client throws(ControlError) in
            try client.takeIdentifiers(exchangeCount: 1, connectionCount: 0).exchanges.first
        }
        return id ?? ExchangeID(rawValue: 0)
    }

    func nextConnectionID() -> ConnectionID {
        let id = take { client throws(ControlError) in
            try client.takeIdentifiers(exchangeCount: 0, connectionCount: 1).connections.first
        }
        return id ?? ConnectionID(rawValue: 0)
    }

    func record(_ update: consuming ExchangeUpdate) {
        let update = update
        // Without a number there is no row; the reason was already reported.
        guard update.id.rawValue > 0 else { return }
        add(update.memoryByteCount) { $0.updates.append(update) }
    }

    func record(_ connection: ConnectionRecord) {
        guard connection.id.rawValue > 0 else { return }
        add(ControlExchangeSink.connectionByteCount) { $0.connections.append(connection) }
    }

    var isCongested: Bool {
        state.withLock { $0.byteCount > ControlExchangeSink.queueByteCountMax }
    }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            if state.byteCount <= ControlExchangeSink.queueByteCountMax { return true }
            state.resumptions.append(resume)
            return false
        }
        if isDrained { resume() }
    }

    // MARK: Sending

    private func add(_ byteCount: Int, _ change: (inout State) -> Void) {
        let mustSchedule = state.withLock { state in
            guard state.failure == nil else { return false }
            change(&state)
            state.byteCount += byteCount
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.drain() } }
    }

    /// Sends queued updates until the queue is empty. Must be called on the queue only.
    private func drain() {
        while true {
            let (connections, updates) = state.withLock { state in
                defer {
                    state.connections = []
                    state.updates = []
                }
                return (state.connections, state.updates)
            }
            do {
                if !connections.isEmpty || !updates.isEmpty {
                    try news.withLock {
                        try ImportDestination.daemon($0).store(connections, updates, [])
                    }
                }
            } catch {
                fail(error as? CommandFailure ?? CommandFailure("\(error)"))
            }
            if settle(connections, updates) { return }
        }
    }

    /// Subtracts a sent batch; returns whether the queue is empty.
    private func settle(_ connections: [ConnectionRecord], _ updates: [ExchangeUpdate]) -> Bool {
        let handed =
            connections.count * ControlExchangeSink.connectionByteCount
            + updates.reduce(0) { $0 + $1.memoryByteCount }
        let (isDone, resumptions) = state.withLock {
            state -> (Bool, [@Sendable () -> Void]) in
            state.byteCount = max(0, state.byteCount - handed)
            let isDone = state.connections.isEmpty && state.updates.isEmpty
            if isDone { state.isScheduled = false }
            guard isDone || state.byteCount <= ControlExchangeSink.queueByteCountMax else {
                return (false, [])
            }
            defer { state.resumptions = [] }
            return (isDone, state.resumptions)
        }
        for resume in resumptions { resume() }
        return isDone
    }

    private func take<Value: Sendable>(
        _ body: (ControlClient) throws(ControlError) -> Value?
    ) -> Value? {
        do {
            return try numbers.withLock { try body($0) }
        } catch {
            fail(CommandFailure((error as? ControlError)?.message ?? "\(error)"))
            return nil
        }
    }

    /// Only the first failure is reported: the following ones result from it.
    private func fail(_ failure: CommandFailure) {
        state.withLock { $0.failure = $0.failure ?? failure }
    }
}
