internal import ProxydCaptureModel

/// Fills the search files in the background of recording. Confined to the recorder's thread, which
/// calls `step` when there is nothing to record.
///
/// Nothing here throws: if the files cannot be built, searches scan every exchange.
final class SearchBuilder {
    /// After this many failures the builder gives up until a new one is created.
    private static let failureCountMax = 3

    private let storePath: String
    private let directory: String
    private let lagCount: Int64
    private let exchangeCountMax: Int64
    private let files: SearchFiles
    private var store: SQLiteConnection?
    /// The file being filled, or nil before the first step and between two files.
    private var partition: SearchPartition?
    /// The files before it, by number.
    private var fullFiles: [Int: SearchExtent] = [:]
    private var nextNumber = 1
    private var waiting = Waiting()
    private var isOpen = false
    private var failureCount = 0

    /// Exchanges up to this number are in the files, committed or not.
    private(set) var indexedThrough: Int64 = 0
    private(set) var lastError: String?

    private struct Waiting {
        var documents: ArraySlice<SearchDocument> = []
        /// The pieces of the first document still to be added, or nil before it is started.
        var pieces: ArraySlice<(key: Int64, side: Int, range: Range<Int>)>?
    }

    /// Does not open any file yet.
    init(
        storePath: String, directory: String, lagCount: Int64 = SearchSchema.lagCount,
        exchangeCountMax: Int64 = SearchSchema.exchangeCountMax
    ) {
        self.storePath = storePath
        self.directory = directory
        self.lagCount = lagCount
        self.exchangeCountMax = exchangeCountMax
        files = SearchFiles(besideStore: storePath)
    }

    /// Adds exchanges that are old enough until `isInterrupted` returns true, which is checked
    /// between any two pieces. Returns whether there is more.
    func step(lastExchangeID: Int64, isInterrupted: () -> Bool) -> Bool {
        let last = lastExchangeID &- lagCount
        guard failureCount < SearchBuilder.failureCountMax, last > indexedThrough else {
            return false
        }
        do throws(StoreError) {
            try open()
            while last > indexedThrough {
                if isInterrupted() { return true }
                guard try addNext(through: last) else { break }
            }
            failureCount = 0
        } catch {
            startOver(error)
        }
        return false
    }

    /// Notes exchanges that were stored with numbers the files have already passed.
    func noteInserted(_ ids: some Sequence<Int64>) {
        do throws(StoreError) {
            for id in ids where id <= indexedThrough { try addRest(id) }
        } catch { startOver(error) }
    }

    /// Deletes files most of whose exchanges were deleted; the few remaining ones are scanned.
    func dropEmptied() {
        guard isOpen, let store else { return }
        do throws(StoreError) {
            for (number, extent) in fullFiles {
                let keptCount = extent.indexedCount / 16
                let remaining = try extent.remainingCount(store, countMax: keptCount + 1)
                guard remaining <= keptCount else { continue }
                fullFiles[number] = nil
                IndexFile.remove([files.path(number)])
            }
        } catch { startOver(error) }
    }

    /// Commits if possible and closes the files; the next step opens them again.
    func close() {
        if waiting.pieces == nil { try? partition?.commit() }
        forget()
    }

    func discard() { files.removeAll { forget() } }

    private func forget() {
        partition?.close()
        partition = nil
        store = nil
        waiting = Waiting()
        fullFiles = [:]
        isOpen = false
        indexedThrough = 0
    }

    /// After an error the files may be damaged. Rebuilding them fixes everything except a full
    /// disk, on which the next attempts fail too, until the builder gives up.
    private func startOver(_ error: StoreError) {
        failureCount += 1
        lastError = "\(error)"
        discard()
    }

    // MARK: Opening

    private func open() throws(StoreError) {
        guard !isOpen else { return }
        let store = try SQLiteConnection(path: storePath, .reading)
        self.store = store
        var extents = try store.transaction(.deferred) { () throws(StoreError) in
            try existing(store)
        }
        if extents == nil { files.removeAll() }
        nextNumber = (extents?.keys.max() ?? 0) + 1
        if let last = extents?.keys.max(), let extent = extents?[last] {
            indexedThrough = extent.throughID
            if !extent.isFull(exchangeCountMax: exchangeCountMax) {
                partition = try openFile(last, firstID: extent.firstID)
                extents?[last] = nil
            }
        }
        fullFiles = extents ?? [:]
        isOpen = true
    }

    /// The ranges covered by the existing files, or nil if they are not of this store, or if they
    /// lack so much of it that a rebuild is better.
    private func existing(_ database: SQLiteConnection) throws(StoreError) -> [Int: SearchExtent]? {
        var extents: [Int: SearchExtent] = [:]
        var uncovered = SearchExtent(firstID: 0, throughID: 0)
        for number in files.numbers {
            let file = try SearchFile(number, path: files.path(number))
            guard let file, number < SearchFiles.numbersAllowed.upperBound,
                try file.extent.belongs(to: database),
                file.extent.firstID >= uncovered.firstID
            else { return nil }
            uncovered.throughID = file.extent.firstID - 1
            let count = SearchBuilder.uncoveredCountMax
            guard try uncovered.remainingCount(database, countMax: count) < count else {
                return nil
            }
            uncovered.firstID = max(file.extent.firstID, file.extent.throughID + 1)
            extents[number] = file.extent
        }
        return extents
    }

    /// Files with so few remaining exchanges that they were dropped; there may be several.
    private static let uncoveredCountMax = SearchSchema.exchangeCountMax / 8

    // MARK: Adding

    /// Adds a piece or completes an exchange; returns false if no exchange is old enough.
    private func addNext(through last: Int64) throws(StoreError) -> Bool {
        guard let document = try nextDocument(through: last) else { return false }
        let partition = try openPartition()
        if var pieces = waiting.pieces {
            if let piece = pieces.popFirst() {
                let bytes = document.bodies[piece.side].bytes
                try partition.add(bytes.span.extracting(piece.range), key: piece.key, isURL: false)
                waiting.pieces = pieces
            } else {
                try end(document, partition)
            }
        } else {
            try begin(document, partition)
        }
        return true
    }

    private func begin(_ document: SearchDocument, _ partition: SearchPartition) throws(StoreError)
    {
        if let url = document.url { try partition.add(url.span, key: document.id, isURL: true) }
        if document.url == nil || document.isBodyMissing {
            try partition.addRest(document.id, isURLMissing: document.url == nil)
        }
        waiting.pieces = document.pieces[...]
    }

    private func end(_ document: SearchDocument, _ partition: SearchPartition) throws(StoreError) {
        waiting.pieces = nil
        waiting.documents.removeFirst()
        indexedThrough = document.id
        try partition.end(document)
        guard partition.isFull else { return }
        fullFiles[partition.number] = partition.extent
        partition.close()
        self.partition = nil
    }

    private func nextDocument(through last: Int64) throws(StoreError) -> SearchDocument? {
        if let first = waiting.documents.first { return first }
        guard let store else { return nil }
        let from = indexedThrough
        waiting.documents = try store.transaction(.deferred) { () throws(StoreError) in
            try SearchDocument.load(after: from, through: last, store)[...]
        }
        return waiting.documents.first
    }

    private func openPartition() throws(StoreError) -> SearchPartition {
        if let partition { return partition }
        IndexFile.remove([files.path(nextNumber)])
        let opened = try openFile(nextNumber, firstID: indexedThrough + 1)
        nextNumber += 1
        partition = opened
        return opened
    }

    private func openFile(_ number: Int, firstID: Int64) throws(StoreError) -> SearchPartition {
        let opened = try SearchPartition(
            number, path: files.path(number), in: directory, firstID: firstID,
            exchangeCountMax: exchangeCountMax)
        guard let opened else { throw StoreError.stopped }
        return opened
    }

    /// Marks a number in the file that covers it, so that every search scans it from now on. A full
    /// file is written through another connection.
    private func addRest(_ id: Int64) throws(StoreError) {
        if let partition, id >= partition.extent.firstID {
            try partition.addRest(id, isURLMissing: true)
            if waiting.pieces == nil { try partition.commit() }
            return
        }
        let found = fullFiles.first { $0.value.firstID <= id && id <= $0.value.throughID }
        guard let found else { return }
        let file = try openFile(found.key, firstID: id)
        try file.addRest(id, isURLMissing: true)
        try file.commit()
        file.close()
    }
}

/// Decides when the search files get their next step. Indexing text costs more than all other
/// recording: during traffic it gets a small share of a processor, and hardly any if there is more
/// traffic than it could keep up with. All times are on the monotonic clock, in nanoseconds.
struct SearchPace {
    /// How long a step takes, without a commit. Short, so that the processor's load is even.
    static let stepNs: Int64 = 1_000_000
    /// There is traffic if something was recorded within this time. A pause between two pages does
    /// not end it, because the user wants the processor for the next page. It is also the maximum
    /// rest, because a single step may have been long.
    static let quietNs: Int64 = 10_000_000_000
    /// Above this many exchanges a second, indexing does not try to keep up with traffic.
    static let followedCountMax: Int64 = 500

    /// The rest after a step as a multiple of its duration: a thirtieth of a processor, enough for
    /// about a hundred exchanges a second.
    private static let restFactor: Int64 = 29
    /// The same if there is too much traffic to keep up with: a three-hundredth of a processor.
    private static let longRestFactor: Int64 = 299
    /// The minimum time over which exchanges are counted, because they arrive in bursts.
    private static let countedNs: Int64 = 1_000_000_000

    private var isFollowed = true
    private var countedSince: Int64?
    private var countedFrom: Int64 = 0

    /// When the next step may start, after a step from `start` to `end`. `exchangeID` is the last
    /// exchange at `end`, and `recorded` the time when something was last recorded.
    mutating func next(start: Int64, end: Int64, exchangeID: Int64, recorded: Int64) -> Int64 {
        count(exchangeID, at: end)
        guard start &- recorded < SearchPace.quietNs else { return end }
        let factor = isFollowed ? SearchPace.restFactor : SearchPace.longRestFactor
        return end &+ min(factor &* (end &- start), SearchPace.quietNs)
    }

    private mutating func count(_ exchangeID: Int64, at now: Int64) {
        if let countedSince {
            let elapsedNs = now &- countedSince
            guard elapsedNs >= SearchPace.countedNs else { return }
            let countMax = Double(SearchPace.followedCountMax) * Double(elapsedNs) / 1e9
            isFollowed = Double(exchangeID &- countedFrom) <= countMax
        }
        countedSince = now
        countedFrom = exchangeID
    }
}
