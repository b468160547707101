internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydSystem

/// Runs on the recorder's thread: takes batches from the queue, writes them, and retries.
///
///     recording ──full, locked──▶ paused ──retry succeeds──▶ recording
///         └──write, sync failed──▶ paused, closed ──reopened, verified──▶ recording
final class RecorderThread {
    /// The maximum delay between two attempts, in nanoseconds.
    private static let retryNsMax: Int64 = 4_000_000_000
    /// How long `stop` waits for another program to release the store, in nanoseconds.
    private static let lastAttemptsNs: Int64 = 5_000_000_000
    /// How often the free space of the file system is checked, in nanoseconds.
    static let housekeepingNs: Int64 = 1_000_000_000

    /// How long exchanges are deleted at a time while the disk is full, in nanoseconds.
    static let makingRoomNs: Int64 = 200_000_000

    /// How many exchanges are indexed at a time: a few milliseconds, or a few tens if they have
    /// parameters. Larger runs cost less per exchange, because neighbours share pages, but
    /// recording waits for them.
    static let indexRunCount = 4_096

    let directory: DataDirectory
    let configuration: RecorderConfiguration
    let shared: RecorderShared
    let queue: RecorderQueue
    private let lock: StoreLock
    /// The open store, or nil while it may be damaged.
    private(set) var writer: StoreWriter?
    /// Exchanges taken from the queue that could not be written yet.
    private var carried: RecorderBatch?
    /// The exchanges that were open when the store was closed for verification.
    private var suspended = ActiveExchangeTable()
    var pause: Pause?
    /// Whether the pause was reported: one for another process's lock is not, as it is short.
    private var isPauseReported = false
    var nextHousekeeping: Int64 = 0
    var removals: [RemovalJob] = []
    var retention: RetentionKeeper
    var index: IndexBuilder
    /// Whether the index has more to do immediately.
    var isIndexing = false
    /// Whether something was recorded since the search files last had a step.
    var isSearchDue = false
    var search: SearchBuilder
    /// When the search files get the next step, or nil if there is nothing to do for them.
    var nextSearch: Int64?
    var lastBatch: Int64 = 0
    var searchPace = SearchPace()

    struct Pause {
        var problem: StoreError
        var retryAt: Int64
        var waitNs: Int64
    }

    /// Why nothing is being written, or nil if recording works.
    var problem: StoreError? { pause?.problem }

    /// Takes the lock and opens the store.
    init(
        _ directory: DataDirectory, _ configuration: RecorderConfiguration,
        _ queue: RecorderQueue, _ shared: RecorderShared
    ) throws(StoreError) {
        self.directory = directory
        self.configuration = configuration
        self.queue = queue
        self.shared = shared
        retention = RetentionKeeper(configuration.retention)
        index = IndexBuilder(storePath: directory.storePath, directory: directory.path)
        search = SearchBuilder(storePath: directory.storePath, directory: directory.path)
        try directory.prepare()
        lock = try StoreLock(directory)
        try open(isSuspect: false)
    }

    /// Runs until the queue is stopped and empty.
    func run() {
        while true {
            let now = SystemClock.monotonicNow()
            var work = queue.take(until: nextDeadline(now), isPaused: pause != nil)
            carried = work.takeBatch() ?? carried
            // Without a promise that says otherwise, readers do not wait for the disk.
            writer?.defersFullSync = !work.readers.isEmpty && !work.isStopping
            attempt(isLast: work.isStopping)
            writer?.defersFullSync = false
            for done in work.readers { done() }
            keepReflection()
            // After the batch, so that they see everything that was recorded before them.
            for operation in work.operations { operation(self) }
            if work.isStopping { return finish() }
            doHousekeeping()
        }
    }

    // MARK: Writing

    /// Writes the batch, unless a pause has not ended yet.
    private func attempt(isLast: Bool) {
        let now = SystemClock.monotonicNow()
        if let pause, pause.retryAt > now, !isLast { return }
        do throws(StoreError) {
            try checkFreeSpace()
            if writer == nil { try open(isSuspect: true) }
            guard let writer else { return }
            if carried != nil {
                try writeCarried(writer)
            } else if pause != nil {
                // No batch to try with: an empty commit shows only that writing is possible.
                try writer.transaction { () throws(StoreError) in }
            }
            resume()
        } catch {
            pause(for: error)
        }
    }

    /// Examines the reflection answers that were just written. If an answer describes nothing or
    /// SQLite rejects it, the exchange is not affected.
    private func keepReflection() {
        guard let writer, pause == nil, !writer.exchanges.reflectionAnswers.isEmpty else { return }
        let answers = writer.exchanges.reflectionAnswers
        writer.exchanges.reflectionAnswers = []
        do throws(StoreError) {
            try ReflectionAnswers.keep(answers, writer)
        } catch {
            if error.isAboutContent {
                shared.update { $0.lastError = error.description }
            } else {
                pause(for: error)
            }
        }
    }

    private func writeCarried(_ writer: StoreWriter) throws(StoreError) {
        // Moved out instead of borrowed: with a second owner the writer's access would copy it.
        guard var batch = carried.take() else { return }
        do throws(StoreError) {
            try write(&batch, writer)
        } catch {
            carried = batch
            throw error
        }
        queue.release(batch)
    }

    private func write(_ batch: inout RecorderBatch, _ writer: StoreWriter) throws(StoreError) {
        do throws(StoreError) {
            tell(try writer.write(&batch))
        } catch {
            guard error.isAboutContent else { throw error }
            shared.update { $0.lastError = error.description }
            try writeOneByOne(&batch, writer)
        }
    }

    /// Saves what it can of a batch that contains something SQLite rejects. If it throws, the batch
    /// still has what has not been written.
    private func writeOneByOne(
        _ batch: inout RecorderBatch, _ writer: StoreWriter
    ) throws(StoreError) {
        for (index, single) in batch.singles.enumerated() {
            var single = single
            do throws(StoreError) {
                tell(try writer.write(&single))
            } catch {
                guard error.isAboutContent else {
                    batch.drop(singles: index)
                    throw error
                }
                countDropped(single)
            }
        }
    }

    /// Reports what a commit changed. The status is updated first, so that subscribers see it.
    private func tell(_ change: StoreChange) {
        index.noteInserted(change.inserted.lazy.map(\.rawValue))
        search.noteInserted(change.inserted.lazy.map(\.rawValue))
        lastBatch = SystemClock.monotonicNow()
        isSearchDue = true
        noteIndexing()
        updateStatus()
        shared.publish(change)
    }

    private func countDropped(_ batch: RecorderBatch) {
        shared.update {
            $0.droppedExchangeCount &+= Int64(batch.begunCount)
            $0.droppedConnectionCount &+= Int64(batch.connections.count)
        }
    }

    private func resume() {
        guard pause != nil else { return }
        pause = nil
        queue.setUnwritable(false)
        shared.update { $0.state = .recording }
        guard isPauseReported else { return }
        isPauseReported = false
        configuration.onPauseChange?(shared.currentStatus)
    }

    /// Stops recording for a while: longer each time, at most four seconds.
    func pause(for error: StoreError) {
        let reason: RecorderStatus.PauseReason
        switch error {
        case .full: reason = .diskFull
        case _ where error.isLocked: reason = .locked
        default:
            // After a failed sync, pages that should have been written may be lost for good
            // although SQLite believes them written: the file has to be reopened and verified.
            reason = .ioError
            closeStore()
        }
        let waitNs = min(RecorderThread.retryNsMax, 2 * (pause?.waitNs ?? 125_000_000))
        pause = Pause(problem: error, retryAt: SystemClock.monotonicNow() &+ waitNs, waitNs: waitNs)
        queue.setUnwritable(true)
        shared.update {
            $0.state = .paused(reason)
            $0.lastError = error.description
        }
        guard reason != .locked, !isPauseReported else { return }
        isPauseReported = true
        configuration.onPauseChange?(shared.currentStatus)
    }

    // MARK: Opening and closing

    private func open(isSuspect: Bool) throws(StoreError) {
        let opened = try StoreOpening.open(directory, isSuspect: isSuspect)
        let writer = try StoreWriter(opened.connection, configuration)
        // A new file does not contain the exchanges that were open in the renamed one.
        if opened.damagedPath == nil {
            writer.exchanges.active = suspended
        } else {
            discardIndexes()
        }
        suspended = ActiveExchangeTable()
        self.writer = writer
        let interrupted = isSuspect ? 0 : try StoreRecovery.endInterrupted(writer)
        shared.raiseIDs(exchange: writer.lastExchangeID, connection: writer.lastConnectionID)
        shared.update {
            $0.interruptedCount += interrupted
            if let path = opened.damagedPath {
                $0.damagedStorePath = path
                $0.lastError = "the store was damaged (\(opened.damage ?? "")) and moved to " + path
            }
        }
        updateStatus()
    }

    private func closeStore() {
        guard let writer else { return }
        suspended = writer.exchanges.active
        let connection = writer.connection
        self.writer = nil
        connection.close()
    }

    private func finish() {
        // Each attempt waits for the lock itself.
        let end = SystemClock.monotonicNow() &+ RecorderThread.lastAttemptsNs
        while problem?.isLocked == true, SystemClock.monotonicNow() < end { attempt(isLast: true) }
        // A pause had left the last exchanges in the queue.
        var rest = queue.take(until: SystemClock.monotonicNow(), isPaused: false)
        if pause == nil, let batch = rest.takeBatch() {
            carried = batch
            attempt(isLast: true)
            keepReflection()
        }
        giveUp(carried.take())
        giveUp(rest.takeBatch())
        if let writer {
            try? writer.syncFully()
            _ = try? writer.connection.checkpoint(isTruncating: true)
        }
        failRemovals()
        index.close()
        search.close()
        updateStatus()
        closeStore()
        lock.release()
        shared.update { $0.state = .stopped }
    }

    private func giveUp(_ batch: RecorderBatch?) {
        guard let batch else { return }
        queue.release(batch)
        countDropped(batch)
    }
}

/// Closes exchanges that a crash left open.
enum StoreRecovery {
    /// Marks the exchanges that were active when the last recorder ended as failed; returns how
    /// many there were.
    static func endInterrupted(_ writer: StoreWriter) throws(StoreError) -> Int {
        let connection = writer.connection
        let count = try connection.integer("SELECT count(*) FROM open_exchange")
        guard count > 0 else { return 0 }
        let origin = ExchangeFailure.Origin.proxy.rawValue
        let kind = ExchangeFailure.Kind.shutdown.rawValue
        try writer.transaction { () throws(StoreError) in
            try connection.execute(
                """
                UPDATE exchange SET state = \(ExchangeState.failed.stored),
                  error_origin = '\(origin)', error_kind = '\(kind)',
                  error = 'recorder stopped before the exchange ended'
                WHERE id IN (SELECT exchange_id FROM open_exchange);
                DELETE FROM open_exchange;
                """)
        }
        return Int(clamping: count)
    }
}
