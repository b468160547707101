internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydSystem

/// Reads the next exchanges to deliver from the local store.
struct BatchMaker {
    /// The most exchanges, and bytes of bodies, in a batch; a single exchange may have more.
    private static let countMax = 1_000
    private static let byteCountMax: Int64 = 4 << 20
    /// The longest body kept in memory, in bytes.
    private static let bodyByteCountMax: Int64 = 4 << 20
    /// How long an exchange is open before a first version of it is delivered, in nanoseconds.
    private static let firstVersionNs: Int64 = 30_000_000_000
    /// How long to wait for a missing number, in nanoseconds: exchanges are numbered when they
    /// start, and may reach the store in another order.
    private static let missingNs: Int64 = 60_000_000_000
    /// How far below the highest number to wait for a missing one: that many may be in progress.
    private static let missingCountMax: Int64 = 10_000

    private let reader: StoreReader
    private let filter: Filter?
    private let redactor: RecordRedactor?
    /// Whether exchanges that have not ended are delivered as they are.
    private let isFinal: Bool
    /// When numbers were first found missing, on the monotonic clock.
    private var missingSince: [Int64: Int64] = [:]
    /// The open exchanges of which a first version was delivered.
    private var firstVersions: Set<Int64> = []
    /// The open exchanges in the last batch.
    private var offered: Set<Int64> = []

    init(_ reader: StoreReader, filter: Filter?, redacts: Bool, isFinal: Bool) {
        self.reader = reader
        self.filter = filter
        redactor = redacts ? RecordRedactor() : nil
        self.isFinal = isFinal
    }

    /// The exchanges chosen for a batch, by number.
    private struct Choice {
        var chosen: [StoreReader.Deliverable] = []
        var later: [Int64] = []
        var open: [Int64] = []
        var skipped: Int64 = 0
        var byteCount: Int64 = 0
        let countMax: Int
        /// The number from which on missing ones may still arrive.
        var lateFrom: Int64 = 0

        /// Whether one more exchange fits; the first one always does.
        func hasRoom(for one: StoreReader.Deliverable) -> Bool {
            chosen.isEmpty
                || chosen.count < countMax && byteCount + one.byteCount <= BatchMaker.byteCountMax
        }

        mutating func choose(_ one: StoreReader.Deliverable) {
            chosen.append(one)
            byteCount += one.byteCount
        }
    }

    /// Returns the next batch, or nil if there is nothing to deliver.
    /// - Parameters:
    ///   - keptFromNs: Exchanges that started earlier are skipped.
    ///   - countMax: How many exchanges the batch may have; 1 to find a culprit.
    mutating func next(
        after state: ShipperState, keptFromNs: Int64?, countMax: Int = BatchMaker.countMax
    ) throws(StoreError) -> DeliveryBatch? {
        var batch = DeliveryBatch(after: state)
        var choice = Choice(countMax: min(countMax, BatchMaker.countMax))
        choice.lateFrom = try reader.deliveryState().lastExchangeID - BatchMaker.missingCountMax
        offered = []
        try chooseOpen(state, &choice)
        try chooseNew(&batch, &choice, keptFromNs)
        batch.openIDs = choice.open.sorted()
        batch.skipped = choice.skipped
        let wanted = try matching(choice.chosen.map(\.id))
        batch.exchanges = try exchanges(wanted)
        batch.laterVersions = choice.later
        try addChanges(&batch, state)
        let isSame =
            batch.exchanges.isEmpty && batch.annotations.isEmpty && batch.removals.isEmpty
            && batch.throughID == state.throughID && batch.openIDs == state.openIDs
            && batch.changeSequence == state.changeSequence
        return isSame ? nil : batch
    }

    // MARK: Choosing

    /// Examines numbers again that were open or missing.
    private mutating func chooseOpen(
        _ state: ShipperState, _ choice: inout Choice
    ) throws(StoreError) {
        guard !state.openIDs.isEmpty else { return missingSince.removeAll() }
        let found = try reader.deliverables(state.openIDs)
        let present = Set(found.map(\.id))
        keepMissing(state.openIDs.filter { !present.contains($0) }, &choice)
        for one in found {
            missingSince[one.id] = nil
            if one.isActive { choice.open.append(one.id) }
            guard choice.hasRoom(for: one) else {
                if !one.isActive { choice.open.append(one.id) }
                continue
            }
            if !one.isActive || isDue(one) {
                choice.choose(one)
                choice.later.append(one.id)
            }
        }
    }

    private mutating func keepMissing(_ ids: [Int64], _ choice: inout Choice) {
        let now = SystemClock.monotonicNow()
        for id in ids {
            let since = missingSince[id] ?? now
            missingSince[id] = since
            if id >= choice.lateFrom, now - since < BatchMaker.missingNs {
                choice.open.append(id)
            } else {
                missingSince[id] = nil
            }
        }
    }

    /// Whether a first version of an open exchange is to be delivered.
    private mutating func isDue(_ one: StoreReader.Deliverable) -> Bool {
        let age = SystemClock.wallNow() &- one.startedNs
        guard isFinal || age > BatchMaker.firstVersionNs, !firstVersions.contains(one.id) else {
            return false
        }
        offered.insert(one.id)
        return true
    }

    /// Records that the last batch was delivered.
    mutating func confirm(_ state: ShipperState) {
        firstVersions = firstVersions.union(offered).intersection(state.openIDs)
    }

    private mutating func chooseNew(
        _ batch: inout DeliveryBatch, _ choice: inout Choice, _ keptFromNs: Int64?
    ) throws(StoreError) {
        let found = try reader.deliverables(after: batch.throughID, limit: choice.countMax)
        for one in found {
            guard choice.hasRoom(for: one) else { return }
            noteMissing(between: batch.throughID, and: one, &choice)
            batch.throughID = one.id
            if let keptFromNs, one.startedNs < keptFromNs {
                choice.skipped += 1
                continue
            }
            if one.isActive { choice.open.append(one.id) }
            if !one.isActive || isDue(one) { choice.choose(one) }
        }
    }

    private mutating func noteMissing(
        between before: Int64, and one: StoreReader.Deliverable, _ choice: inout Choice
    ) {
        guard one.id - before > 1 else { return }
        let first = max(before + 1, choice.lateFrom)
        guard first < one.id else { return }
        for id in first..<one.id {
            choice.open.append(id)
            missingSince[id] = SystemClock.monotonicNow()
        }
    }

    /// The numbers of the exchanges that the filter selects.
    private func matching(_ ids: [Int64]) throws(StoreError) -> [Int64] {
        guard let filter, let first = ids.min(), let last = ids.max() else { return ids }
        let wanted = Set(ids)
        var matching: [Int64] = []
        let start = PageDirection.after(ExchangeID(rawValue: first &- 1))
        try reader.forEachRow(matching: filter, start) { row in
            if wanted.contains(row.id.rawValue) { matching.append(row.id.rawValue) }
            return row.id.rawValue < last
        }
        return matching
    }

    // MARK: Reading

    private func exchanges(_ ids: [Int64]) throws(StoreError) -> [DeliveredExchange] {
        guard !ids.isEmpty else { return [] }
        let records = try reader.records(ids, bodyByteCountMax: BatchMaker.bodyByteCountMax)
        let numbers = Set(records.flatMap(\.connections)).sorted()
        var connections: [Int64: ConnectionRecord] = [:]
        for connection in try reader.connections(numbers) {
            connections[connection.id.rawValue] = connection
        }
        var exchanges: [DeliveredExchange] = []
        exchanges.reserveCapacity(records.count)
        for record in records { exchanges.append(try exchange(record, connections)) }
        return exchanges
    }

    private func exchange(
        _ record: StoredRecord, _ connections: [Int64: ConnectionRecord]
    ) throws(StoreError) -> DeliveredExchange {
        let redacted = redactor?.redacted(record)
        var exchange = DeliveredExchange(redacted?.record ?? record)
        exchange.client = connection(.clientConnection, record, connections)
        exchange.server = connection(.serverConnection, record, connections)
        if record.mayHaveMessages, try reader.hasMessages(record.id) {
            exchange.messages = messages(record.id, redacted)
        }
        if redactor == nil, record.requestBody == nil || record.responseBody == nil {
            exchange.longBody = longBody(record.id)
        }
        return exchange
    }

    private func connection(
        _ column: StoredRecord.Column, _ record: StoredRecord,
        _ connections: [Int64: ConnectionRecord]
    ) -> ConnectionRecord? {
        var record = record.values.integer(column.rawValue).flatMap { connections[$0] }
        if redactor != nil, let frames = record?.http2?.frames {
            // The contents of the connection's own frames are private, too.
            record?.http2?.frames = FrameTimeline.withoutBytes(frames)
        }
        return record
    }

    private func messages(
        _ id: Int64, _ redacted: RecordRedactor.Redacted?
    ) -> (([MessageRow]) throws -> Void) throws -> Void {
        let reader = reader
        let redactor = redactor
        return { body in
            var outcome = Result<Void, any Error>.success(())
            try reader.forEachMessagePage(
                of: ExchangeID(rawValue: id), byteCountMax: .max
            ) { page in
                var rows = page
                if let redactor, let redacted { rows = redactor.redacted(page, of: redacted) }
                outcome = Result { try body(rows) }
                return outcome.isSuccess
            }
            try outcome.get()
        }
    }

    private func longBody(_ id: Int64) -> (StoredMessage, ([UInt8]) throws -> Void) throws -> Void {
        let reader = reader
        return { part, body in
            var outcome = Result<Void, any Error>.success(())
            try reader.forEachBodyChunk(of: ExchangeID(rawValue: id), part) { chunk in
                outcome = Result { try body(chunk) }
                return outcome.isSuccess
            }
            try outcome.get()
        }
    }

    // MARK: Changes

    /// What users changed in exchanges that were delivered before.
    private func addChanges(
        _ batch: inout DeliveryBatch, _ state: ShipperState
    ) throws(StoreError) {
        let changes = try reader.changes(after: state.changeSequence, limit: BatchMaker.countMax)
        for change in changes {
            switch change.kind {
            case .removed: batch.removals.append(change.ids)
            case .annotated:
                let id = change.ids.lowerBound
                let annotations = try reader.annotations(of: ExchangeID(rawValue: id))
                batch.annotations.append(
                    (number: id, annotations: redactor?.redacted(annotations) ?? annotations))
            }
            batch.changeSequence = change.sequence
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
}

extension StoredRecord {
    /// Whether the exchange is of a kind that has messages.
    fileprivate var mayHaveMessages: Bool {
        let types = [Column.requestType, .responseType].compactMap { values.text($0.rawValue) }
        return values.integer(Column.messageCount.rawValue) != nil
            || values.text(Column.upgradedTo.rawValue) != nil
            || types.contains { type in
                let type = type.lowercased()
                return type.hasPrefix("application/grpc") || type.hasPrefix("text/event-stream")
            }
    }
}
