internal import ProxydCaptureModel

/// Fills the search files behind the recorder. Confined to the recorder's thread, which calls
/// `step` when there is nothing to record.
///
/// Nothing here throws: where the files cannot be made, searches look at every exchange.
final class SearchBuilder {
    /// Failures after which it gives up until it is made again.
    private static let failureCountMax = 3

    private let storePath: String
    private let directory: String
    private let lagCount: Int64
    private let exchangeCountMax: Int64
    private let files: SearchFiles
    private var store: SQLiteConnection?
    /// The file being filled; nil before the first step and between two files.
    private var partition: SearchPartition?
    /// The files before it.
    private var fullFiles: [Int: SearchExtent] = [:]
    private var nextNumber = 1
    private var waiting = Waiting()
    private var isOpen = false
    private var failureCount = 0

    /// Exchanges up to this number are in the files, committed or not.
    private(set) var indexedThrough: Int64 = 0
    /// What went wrong last; nil where nothing did.
    private(set) var lastError: String?

    /// Exchanges read but not yet added.
    private struct Waiting {
        var documents: ArraySlice<SearchDocument> = []
        /// The pieces of the first document still to add; nil before it is begun.
        var pieces: ArraySlice<(key: Int64, side: Int, range: Range<Int>)>?
    }

    /// Search files for the store at a path, in its directory. Opens nothing yet.
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

    /// Adds what has come of age until there is something better to do, asked between any two
    /// pieces. Returns whether there is more.
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

    /// Notes exchanges stored with numbers that the files have already passed.
    func noteInserted(_ ids: some Sequence<Int64>) {
        do throws(StoreError) {
            for id in ids where id <= indexedThrough { try addRest(id) }
        } catch { startOver(error) }
    }

    /// Deletes the files most of whose exchanges have gone; what is left of them is few.
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

    /// Commits what can be and closes the files; the next step opens them again.
    func close() {
        if waiting.pieces == nil { try? partition?.commit() }
        forget()
    }

    /// Deletes the files.
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

    /// After an error the files are suspect, and making them anew is the cure for everything but
    /// a full disk, which the next attempts will meet again and give up.
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

    /// What the files cover that are there; nil where they are not this store's, or leave out so
    /// much of it that it is better to make them anew.
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

    /// Files of which so few exchanges were left were dropped, several maybe.
    private static let uncoveredCountMax = SearchSchema.exchangeCountMax / 8

    // MARK: Adding

    /// Adds a piece or ends an exchange; false where no exchange has come of age.
    private func addNext(through last: Int64) throws(StoreError) -> Bool {
        guard let document = try nextDocument(through: last) else { return false }
        let partition = try openPartition()
        if var pieces = waiting.pieces {
            if let piece = pieces.popFirst() {
                let octets = document.bodies[piece.side].octets
                try partition.add(
                    octets.span.extracting(piece.range), key: piece.key, isURL: false)
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
        if let url = document.url {
            try partition.add(url.span, key: document.id, isURL: true)
        }
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

    /// The files that cover a number have it looked at from now on. In a file that is full it is
    /// written by another connection.
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
