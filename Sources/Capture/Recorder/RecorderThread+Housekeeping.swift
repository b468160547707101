internal import ProxydCaptureModel
internal import ProxydSystem

/// What is done between batches: room, indexes, status.
extension RecorderThread {
    func nextDeadline(_ now: Int64) -> Int64 {
        // Nothing else is done during a pause, so other overdue work must not wake the thread.
        if let pause { return min(nextHousekeeping, pause.retryAt) }
        if !removals.isEmpty || isIndexing { return now }
        var deadline = min(nextHousekeeping, nextSearch ?? .max)
        if let writer, let since = writer.unsafeSince {
            deadline = min(deadline, since &+ writer.fullSyncInterval.ns)
        }
        return deadline
    }

    /// Does what is due between batches: full sync, checkpoint, removals, free space, retention.
    func doHousekeeping() {
        let now = SystemClock.monotonicNow()
        defer {
            if now >= nextHousekeeping { nextHousekeeping = now &+ RecorderThread.housekeepingNs }
        }
        guard let writer else { return }
        guard pause == nil else {
            if now >= nextHousekeeping { makeRoom(writer) }
            return
        }
        do throws(StoreError) {
            if let since = writer.unsafeSince, now - since >= writer.fullSyncInterval.ns {
                try writer.syncFully()
            }
            try writer.connection.checkpointIfDue(byteCount: configuration.checkpointByteCount)
            try removeSome()
            isIndexing = index.step(
                runRowCount: RecorderThread.indexRunCount, lastExchangeID: writer.lastExchangeID)
            fillSearch(writer)
            noteIndexing()
            if now >= nextHousekeeping {
                try startRetention(writer)
                try checkFreeSpace()
            }
        } catch {
            pause(for: error)
        }
    }

    /// Deletes what may be deleted while recording is paused because the disk is full, for a while:
    /// that may be what ends the pause.
    private func makeRoom(_ writer: StoreWriter) {
        guard case .full = problem else { return }
        let end = SystemClock.monotonicNow() &+ RecorderThread.makingRoomNs
        do throws(StoreError) {
            try startRetention(writer)
            while !removals.isEmpty, SystemClock.monotonicNow() < end { try removeSome() }
        } catch {
            // Without space for the log nothing can be deleted. The pause is not extended, because
            // recording itself is retried.
            if case .full = error { return }
            pause(for: error)
        }
    }

    private func startRetention(_ writer: StoreWriter) throws(StoreError) {
        guard removals.isEmpty,
            let job = try retention.nextJob(writer, isSpaceScarce: isSpaceScarce)
        else { return }
        removals.append(job)
    }

    func noteIndexing() {
        let isBehind = isIndexing || isSearchDue || nextSearch != nil
        shared.update { $0.isIndexing = isBehind }
    }

    /// Gives the search files a step if nothing is queued.
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

    /// Fills the index and the search files for a duration, even if updates are queued.
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

    /// Deletes the indexes, because they contain data that a user cleared; they are rebuilt.
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

    func checkFreeSpace() throws(StoreError) {
        guard pause != nil || SystemClock.monotonicNow() >= nextHousekeeping else { return }
        let free = freeByteCount
        guard free >= configuration.freeSpaceFloorByteCount else {
            throw .full(
                "\(directory.path) has \(RecorderThread.size(free)) free, less than the "
                    + "\(RecorderThread.size(configuration.freeSpaceFloorByteCount)) of "
                    + "recording.free_space_floor_byte_count")
        }
    }

    /// A number of bytes in decimal units.
    private static func size(_ byteCount: Int64) -> String {
        switch byteCount {
        case ..<10_000: "\(byteCount) B"
        case ..<10_000_000: "\(byteCount / 1_000) kB"
        default: "\(byteCount / 1_000_000) MB"
        }
    }
}
