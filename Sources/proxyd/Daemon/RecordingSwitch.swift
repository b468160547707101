internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydDaemonConfiguration
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydRules
internal import Logging
internal import Synchronization

/// Stops and resumes recording, and selects what is recorded; sits between the engine and the
/// recorder.
///
/// An exchange is recorded completely or not at all: one that started while recording was off is
/// never recorded; one that started before recording was turned off is recorded to its end.
final class RecordingSwitch: ExchangeSink {
    private let sink: any ExchangeSink
    private let finished = Atomic<Int64>(0)
    private let unrecorded = Atomic<Int64>(0)
    private let isFiltering = Atomic<Bool>(false)
    private let state = Mutex(State())

    private struct State {
        var isOn = true
        /// Selects the exchanges to record; nil for all.
        var filter: Filter?
        /// The facts about clients that a filter can use.
        var clients = RecordedClients()
        /// Exchanges under way that are not recorded.
        var skipped: Set<ExchangeID> = []

        /// Whether an exchange that starts is recorded. One without a valid head always is, so that
        /// its error can be inspected.
        func selects(_ update: borrowing ExchangeUpdate) -> Bool {
            guard let filter, let head = update.requestHead, let url = update.url else {
                return true
            }
            let connection = clients.connection(
                update.clientConnection, url, user: update.user,
                startedAtNs: update.timeline.wallStart)
            return BegunRequest(head, url, over: connection).passes(filter)
        }
    }

    init(to sink: any ExchangeSink) { self.sink = sink }

    /// Whether exchanges that start now are recorded.
    var isOn: Bool { state.withLock { $0.isOn } }

    /// The number of exchanges that have ended since the start.
    var finishedCount: Int64 { finished.load(ordering: .relaxed) }

    /// The number of exchanges not recorded since the start, because recording was off or the
    /// filter did not select them.
    var unrecordedCount: Int64 { unrecorded.load(ordering: .relaxed) }

    /// Sets the filter for recording from the next exchange on; nil for all.
    func choose(_ filter: Filter?) {
        state.withLock { state in
            state.filter = filter
            updateFiltering(state)
        }
    }

    func turn(on isOn: Bool) {
        state.withLock { state in
            state.isOn = isOn
            updateFiltering(state)
        }
    }

    func nextExchangeID() -> ExchangeID { sink.nextExchangeID() }

    func nextConnectionID() -> ConnectionID { sink.nextConnectionID() }

    func record(_ update: consuming ExchangeUpdate) {
        if update.state != .active { finished.add(1, ordering: .relaxed) }
        // Usually everything is recorded, so no lock is needed here.
        if isFiltering.load(ordering: .relaxed), skips(update) { return }
        sink.record(update)
    }

    func record(_ connection: ConnectionRecord) {
        if isFiltering.load(ordering: .relaxed), connection.side == .client {
            state.withLock { $0.clients.add(connection) }
        }
        sink.record(connection)
    }

    var isCongested: Bool { sink.isCongested }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) { sink.whenDrained(resume) }

    private func skips(_ update: borrowing ExchangeUpdate) -> Bool {
        let id = update.id
        let begins = update.isFirst
        let ends = update.state != .active
        return state.withLock { state in
            if begins, !state.isOn || !state.selects(update) {
                unrecorded.add(1, ordering: .relaxed)
                if !ends { state.skipped.insert(id) }
                return true
            }
            guard state.skipped.contains(id) else { return false }
            if ends { state.skipped.remove(id) }
            updateFiltering(state)
            return true
        }
    }

    private func updateFiltering(_ state: borrowing State) {
        isFiltering.store(
            !state.isOn || state.filter != nil || !state.skipped.isEmpty, ordering: .relaxed)
    }
}

/// The client facts that filters can use, for the latest connections: address, program, listener.
struct RecordedClients {
    private static let countMax = 20_000

    private struct Client {
        let address: String
        let process: String?
        let arrival: ConnectionRecord.Arrival?
    }

    private var known: [ConnectionID: Client] = [:]
    /// Connections, oldest first.
    private var order: [ConnectionID] = []

    /// Adds a client's connection; when the limit is exceeded, the older half is removed.
    mutating func add(_ connection: ConnectionRecord) {
        let facts = Client(
            address: connection.peerAddress, process: connection.process?.name,
            arrival: connection.arrival)
        guard known.updateValue(facts, forKey: connection.id) == nil else { return }
        order.append(connection.id)
        guard order.count > RecordedClients.countMax else { return }
        let half = order.count / 2
        for id in order.prefix(half) { known[id] = nil }
        order.removeFirst(half)
    }

    /// The connection that carried a request.
    func connection(
        _ id: ConnectionID?, _ url: RawURL, user: String?, startedAtNs: Int64
    ) -> RuledConnection {
        let client = id.flatMap { known[$0] }
        var connection = RuledConnection(
            client: client?.address ?? "", process: client?.process, host: url.host,
            port: url.port, scheme: url.scheme, startedAtNs: startedAtNs)
        connection.namedClient = client?.arrival?.proxyProtocolPeer
        connection.listener = client?.arrival?.listener
        connection.user = user
        return connection
    }
}

extension RecorderConfiguration {
    init(_ recording: Configuration.Recording) {
        self.init()
        queueByteCountMax = recording.queueByteCountMax
        congestionPolicy = recording.whenQueueFull == .slow ? .slow : .drop
        durability = recording.durability == .full ? .always : .everySecond
        freeSpaceFloorByteCount = Int64(recording.freeSpaceFloorByteCount)
        unstored = UnstoredNames(
            fields: recording.unstoredFields, parameters: recording.unstoredParameters)
        retention = RetentionPolicy(recording)
    }
}

extension RetentionPolicy {
    /// Creates the policy from the configuration. A limit of zero means no limit.
    fileprivate init(_ recording: Configuration.Recording) {
        func limit(_ value: Int, times factor: Int64 = 1) -> Int64? {
            value == 0 ? nil : Int64(value) &* factor
        }
        self.init(
            ageMaxSeconds: limit(recording.retentionAgeDays, times: 86_400),
            exchangeCountMax: limit(recording.retentionExchangeCountMax),
            storeByteCountMax: limit(recording.retentionByteCountMax))
        waitsForDelivery = recording.retentionWaitsForDelivery
    }
}

/// Opens the store for the daemon.
///
/// While no daemon is running, `proxyship` and commands of `proxyctl` write to the store
/// themselves. The daemon waits for them, but not for another daemon.
struct StoreStart {
    private static let waitSeconds = 10

    let directory: DataDirectory
    let configuration: RecorderConfiguration
    let logger: Logger

    /// Starts recording, or throws `.busy` if the store has not been released in time.
    func recorder() throws -> Recorder {
        do {
            return try recorderWhenFree()
        } catch let error as StoreError {
            guard case .busy = error, let running = runningDaemon() else { throw error }
            throw running
        }
    }

    private func recorderWhenFree() throws -> Recorder {
        var isTold = false
        return try StoreRetry.whileBusy(seconds: StoreStart.waitSeconds) { error in
            guard !hasDaemon else { return false }
            if !isTold {
                logger.notice("\(error); waiting up to \(StoreStart.waitSeconds) s for it")
            }
            isTold = true
            return true
        } attempt: {
            try Recorder(directory: directory, configuration: loggedConfiguration)
        }
    }

    /// The configuration of a recorder whose pauses are in the log.
    private var loggedConfiguration: RecorderConfiguration {
        var configuration = configuration
        configuration.onPauseChange = { [logger] status in
            if let reason = status.stoppedBecause {
                logger.error("recording has stopped: \(reason)")
            } else {
                logger.notice("recording works again")
            }
        }
        return configuration
    }

    /// Says which daemon uses the directory; nil if none answers.
    private func runningDaemon() -> StartFailure? {
        guard let client = try? ControlClient(dataDirectory: directory.path),
            let status = try? client.status()
        else { return nil }
        let addresses = status.listenAddresses.joined(separator: ", ")
        let place = addresses.isEmpty ? "" : ", listening on \(addresses)"
        return StartFailure(
            message: "already running as process \(status.pid)\(place), data in "
                + "\(directory.path); for more listeners, add [[listener]] to proxyd.toml; for "
                + "another proxyd, use --data-dir DIR --listen 127.0.0.1:0")
    }

    /// Whether a daemon is running; also true if that cannot be determined.
    private var hasDaemon: Bool {
        do throws(ControlError) {
            _ = try ControlClient(dataDirectory: directory.path)
            return true
        } catch {
            return error.kind != .notRunning
        }
    }
}
