internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydSystem

/// What runs on the recorder's own thread: takes batches from the queue, writes them, and keeps
/// trying where the disk does not let it.
///
///     recording ──full, locked──▶ paused ──retry succeeds──▶ recording
///         └──write, sync failed──▶ paused, closed ──reopened, verified──▶ recording
final class RecorderThread {
    /// The longest wait between two attempts, in nanoseconds.
    private static let retryNsMax: Int64 = 4_000_000_000
    /// How long the end waits for another program to let go of the store, in nanoseconds.
    private static let lastAttemptsNs: Int64 = 5_000_000_000
    /// How often the file system is asked for its free space, in nanoseconds.
    private static let housekeepingNs: Int64 = 1_000_000_000

    /// Exchanges that are indexed at a time: some milliseconds, or some ten where they have
    /// parameters. Larger runs cost less each, because neighbours share pages, but recording waits
    /// for them.
    private static let indexRunCount = 4_096

    let directory: DataDirectory
    let configuration: RecorderConfiguration
    let shared: RecorderShared
    private let queue: RecorderQueue
    private let lock: StoreLock
    /// The open store; nil while it is suspect.
    private(set) var writer: StoreWriter?
    /// Exchanges taken from the queue that could not be written yet.
    private var carried: RecorderBatch?
    /// The exchanges that had not ended when the store was closed to be looked at.
    private var suspended = ActiveExchangeTable()
    private var pause: Pause?
    private var nextHousekeeping: Int64 = 0
    /// Large deletions, done bit by bit between batches.
    var removals: [RemovalJob] = []
    var retention: RetentionKeeper
    private var index: IndexBuilder
    /// Whether the index has more to do at once.
    private var isIndexing = false
    /// Whether something was recorded since the search files were last given a step.
    private var isSearchDue = false
    private(set) var search: SearchBuilder
    /// When the search files get the next step; nil where there is nothing to do for them.
    private var nextSearch: Int64?
    private var lastBatch: Int64 = 0
    private var searchPace = SearchPace()

    private struct Pause {
        var problem: StoreError
        var retryAt: Int64
        var waitNs: Int64
    }

    /// Why nothing is being written; nil while it is.
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
            attempt(isLast: work.isStopping)
            keepReflection()
            // Behind the batch, so that they see what was recorded before they were asked for.
            for operation in work.operations { operation(self) }
            if work.isStopping { return finish() }
            keepHouse()
        }
    }

    // MARK: Writing

    /// Writes what was taken, unless a pause says not yet.
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
                // Nothing to try it with: a commit that says only that one was possible.
                try writer.transaction { () throws(StoreError) in }
            }
            resume()
        } catch {
            pause(for: error)
        }
    }

    /// Looks at the answers of reflection that were just written. What describes nothing, or is not
    /// taken by SQLite, is no matter to the exchange.
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
        // Taken, not borrowed: with a second owner the writer's access would copy it.
        guard var batch = carried.take() else { return }
        do throws(StoreError) {
            try write(&batch, writer)
        } catch {
            carried = batch
            throw error
        }
        queue.release(batch)
    }

    private func write(
        _ batch: inout RecorderBatch, _ writer: StoreWriter
    ) throws(StoreError) {
        do throws(StoreError) {
            tell(try writer.write(&batch))
        } catch {
            guard error.isAboutContent else { throw error }
            shared.update { $0.lastError = error.description }
            try writeOneByOne(&batch, writer)
        }
    }

    /// Saves what can be saved of a batch in which SQLite will not take something. Where it throws,
    /// the batch has what is still to be written.
    private func writeOneByOne(
        _ batch: inout RecorderBatch, _ writer: StoreWriter
    ) throws(StoreError) {
        for (place, single) in batch.singles.enumerated() {
            var single = single
            do throws(StoreError) {
                tell(try writer.write(&single))
            } catch {
                guard error.isAboutContent else {
                    batch.drop(singles: place)
                    throw error
                }
                countDropped(single)
            }
        }
    }

    /// Tells those who wait for it what a commit changed; whoever then asks finds it in the status.
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
    }

    /// Stops recording for a while: longer each time, at most four seconds.
    func pause(for error: StoreError) {
        let reason: RecorderStatus.PauseReason
        switch error {
        case .full: reason = .diskFull
        case _ where error.isLocked: reason = .locked
        default:
            // After a failed sync the pages that should have been written may be gone for good
            // while SQLite still believes in them: nothing but a fresh look at the file helps.
            reason = .ioError
            closeStore()
        }
        let waitNs = min(RecorderThread.retryNsMax, 2 * (pause?.waitNs ?? 125_000_000))
        pause = Pause(
            problem: error, retryAt: SystemClock.monotonicNow() &+ waitNs, waitNs: waitNs)
        queue.setUnwritable(true)
        shared.update {
            $0.state = .paused(reason)
            $0.lastError = error.description
        }
    }

    // MARK: The rest of the time

    private func nextDeadline(_ now: Int64) -> Int64 {
        // Nothing else is done in a pause: what is overdue then must not keep it awake.
        if let pause { return min(nextHousekeeping, pause.retryAt) }
        if !removals.isEmpty || isIndexing { return now }
        var deadline = min(nextHousekeeping, nextSearch ?? .max)
        if let writer, let since = writer.unsafeSince {
            deadline = min(deadline, since &+ writer.barrierInterval.ns)
        }
        return deadline
    }

    /// What is due between two batches: barrier, checkpoint, removals, free space, retention.
    private func keepHouse() {
        let now = SystemClock.monotonicNow()
        defer {
            if now >= nextHousekeeping { nextHousekeeping = now &+ RecorderThread.housekeepingNs }
        }
        guard pause == nil, let writer else { return }
        do throws(StoreError) {
            if let since = writer.unsafeSince, now - since >= writer.barrierInterval.ns {
                try writer.barrier()
            }
            try writer.connection.checkpointIfDue(
                byteCount: configuration.checkpointByteCount)
            try removeSome()
            isIndexing = index.step(
                runRowCount: RecorderThread.indexRunCount, lastExchangeID: writer.lastExchangeID)
            fillSearch(writer)
            noteIndexing()
            if now >= nextHousekeeping {
                if removals.isEmpty, let job = try retention.nextJob(writer) {
                    removals.append(job)
                }
                try checkFreeSpace()
            }
        } catch {
            pause(for: error)
        }
    }

    private func noteIndexing() {
        let isBehind = isIndexing || isSearchDue || nextSearch != nil
        shared.update { $0.isIndexing = isBehind }
    }

    /// Gives the search files a step where nothing waits to be recorded.
    private func fillSearch(_ writer: StoreWriter) {
        let start = SystemClock.monotonicNow()
        guard start >= nextSearch ?? 0, !isIndexing, removals.isEmpty, !queue.hasWork else {
            return
        }
        isSearchDue = false
        let end = start &+ SearchPace.stepNs
        let hasMore = search.step(lastExchangeID: writer.lastExchangeID) { [queue] in
            queue.hasWork || SystemClock.monotonicNow() >= end
        }
        let next = searchPace.next(
            start: start, end: SystemClock.monotonicNow(), exchangeID: writer.lastExchangeID,
            recorded: lastBatch)
        nextSearch = hasMore ? next : nil
    }

    /// Fills the index and the search files for so long, whatever waits to be recorded.
    func fillIndexes(durationNs: Int64) throws(StoreError) -> IndexingProgress {
        let lastID = try openWriter().lastExchangeID
        let end = SystemClock.monotonicNow() &+ durationNs
        repeat {
            isIndexing = index.step(
                runRowCount: RecorderThread.indexRunCount, lastExchangeID: lastID)
        } while isIndexing && SystemClock.monotonicNow() < end
        let hasMore = search.step(lastExchangeID: lastID) { SystemClock.monotonicNow() >= end }
        return IndexingProgress(
            searchedThrough: search.indexedThrough, lastID: max(0, lastID - SearchSchema.lagCount),
            hasMore: isIndexing || hasMore, problem: search.lastError)
    }

    /// Forgets indexes, which hold what somebody cleared; they are made again.
    func discardIndexes() {
        index.discard()
        index = IndexBuilder(storePath: directory.storePath, directory: directory.path)
        search.discard()
        search = SearchBuilder(storePath: directory.storePath, directory: directory.path)
    }

    func updateStatus() {
        guard let writer else { return }
        shared.update {
            $0.exchangeCount = writer.exchangeCount
            $0.activeCount = writer.exchanges.active.count
            $0.storeByteCount = writer.connection.fileByteCount
            $0.walByteCount = writer.connection.walByteCount
        }
    }

    private func checkFreeSpace() throws(StoreError) {
        guard pause != nil || SystemClock.monotonicNow() >= nextHousekeeping else { return }
        let free =
            configuration.faults?.freeByteCount?() ?? FileSystem.freeByteCount(directory.path)
        guard free >= configuration.freeSpaceFloorByteCount else {
            throw .full(
                "\(directory.path): \(free) octets free, fewer than the floor of "
                    + "\(configuration.freeSpaceFloorByteCount)")
        }
    }

    // MARK: Opening and closing

    private func open(isSuspect: Bool) throws(StoreError) {
        let opened = try StoreOpening.open(directory, isSuspect: isSuspect)
        let writer = try StoreWriter(opened.connection, configuration)
        // A new file knows nothing of the exchanges that were open in the one put aside.
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
                $0.lastError =
                    "the store was damaged (\(opened.damage ?? "")) and put aside as "
                    + path
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
            try? writer.barrier()
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

    /// Lets go of what was never written.
    private func giveUp(_ batch: RecorderBatch?) {
        guard let batch else { return }
        queue.release(batch)
        countDropped(batch)
    }
}
