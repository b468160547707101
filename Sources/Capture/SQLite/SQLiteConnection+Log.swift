internal import ProxydCSQLite
internal import ProxydCaptureModel

/// The write-ahead log.
extension SQLiteConnection {
    /// How much of the log a checkpoint copies.
    enum Checkpoint {
        /// As much as readers allow.
        case passive
        /// All of it; the log file is then truncated to zero.
        case truncating
    }

    /// Copies the log into the database; returns whether all of it was copied, which readers and
    /// other writers may prevent.
    func checkpoint(_ kind: Checkpoint) throws(StoreError) -> Bool {
        var logged: Int32 = 0
        var copied: Int32 = 0
        let mode = kind == .truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &copied)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw StoreError(handle, code) }
        return logged == copied
    }

    /// The number of pages in the log after the last commit, or the last value set; 0 if pages are
    /// not counted.
    var loggedPageCount: Int32 {
        get { loggedPages?.pointee ?? 0 }
        set { loggedPages?.pointee = newValue }
    }

    /// Starts counting the pages that commits leave in the log. SQLite then no longer makes
    /// checkpoints by itself.
    func countLoggedPages() {
        guard loggedPages == nil else { return }
        let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        pages.initialize(to: 0)
        loggedPages = pages
        sqlite3_wal_hook(
            handle,
            { context, _, _, pageCount in
                context?.assumingMemoryBound(to: Int32.self).pointee = pageCount
                return SQLITE_OK
            }, pages)
    }

    /// Stops counting: the hook must not outlive the memory it writes to.
    func stopCountingLoggedPages() {
        guard let pages = loggedPages else { return }
        sqlite3_wal_hook(handle, nil, nil)
        pages.deallocate()
        loggedPages = nil
    }
}
