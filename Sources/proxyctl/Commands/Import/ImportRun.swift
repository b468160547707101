internal import ProxydCaptureModel
internal import Capture
internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydPresentation
internal import ProxydSystem

struct ImportReport {
    var keptCount = 0
    var refusedCount = 0
    /// Whether the file is damaged, so that exchanges may be missing.
    var isDamaged = false
    /// What is not an exchange, and how often it was left out.
    var leftOut: [String: Int] = [:]
    /// References to exchanges that are not in the file, or came too late in it to be known.
    var lostLinkCount = 0
    var firstID: ExchangeID?
    var lastID: ExchangeID?

    /// Whether more was refused than kept, or all that there is could not be read.
    var lostMost: Bool {
        refusedCount > keptCount
            || keptCount == 0 && !ImportReport.losses.isDisjoint(with: leftOut.keys)
    }

    /// What is left out although it may contain exchanges.
    private static let losses: Set<String> = ["gap", "encrypted connection"]
}

/// Reads a file to its end and stores its exchanges in batches.
struct ImportRun {
    /// A batch is stored when it has this many exchanges or this many bytes. Each exchange has two
    /// connections, and the daemon assigns a limited count of numbers at a time.
    private static let batchCountMax = ControlLimits.identifierCountMax / 2
    private static let batchByteCountMax = 4 << 20
    /// The number of invalid entries that are reported individually.
    private static let complaintCountMax = 100
    private static let sharedConnectionCountMax = 4_096

    let destination: ImportDestination
    let fileName: String
    /// A tag that every exchange gets.
    let tag: String?
    private(set) var report = ImportReport()
    private var batch: [ImportedExchange] = []
    private var batchByteCount = 0
    /// The exchange stored last, if more of its messages may follow.
    private var open: OpenImport?
    private var numbers = NumberMap()
    /// Connections of the file that already have numbers, because exchanges may share them.
    private var connections: [ConnectionRecord: ConnectionID] = [:]

    init(destination: ImportDestination, fileName: String, tag: String? = nil) {
        self.destination = destination
        self.fileName = fileName
        self.tag = tag
    }

    /// - Parameter format: Its format; nil to detect it.
    mutating func read(
        _ input: InputFile, as format: ImportFormat? = nil, keys: String? = nil,
        isInterrupted: () -> Bool
    ) throws {
        defer { destination.close() }
        var progress = ProgressBar("importing")
        defer { progress.finish() }
        let source = ImportSource(input, format: format, keys: keys)
        var failure: CommandFailure?
        do {
            try source.read(
                progress: { share in
                    progress.show(
                        share, Quantity.count(report.keptCount + batch.count, "exchange"),
                        now: SystemClock.wallNow())
                    return !isInterrupted()
                }, { try take($0) })
            if isInterrupted() { failure = CommandFailure("interrupted") }
        } catch {
            failure = CommandFailure(explaining: error)
            if failure == nil { throw error }
        }
        // What could be read before a failure is kept.
        try storeBatch()
        try closeLast()
        if let failure { throw failure }
        progress.finish()
        if report.keptCount > 0 { try fillIndexes(isInterrupted) }
        if report.refusedCount > ImportRun.complaintCountMax {
            let more = report.refusedCount - ImportRun.complaintCountMax
            Report.warn("\(fileName): \(more) more were rejected")
        }
    }

    /// Indexes the imported exchanges. A daemon does that when it has nothing to record.
    private func fillIndexes(_ isInterrupted: () -> Bool) throws {
        var progress = ProgressBar("indexing")
        defer { progress.finish() }
        var first: Int64?
        while let state = try destination.fillIndexes() {
            let isComplete = state.searchedThrough >= state.lastID
            guard state.hasMore, !isInterrupted() else {
                progress.finish()
                if !isComplete { ImportRun.warnOfSlowSearches(state.problem) }
                return
            }
            let start = first ?? state.searchedThrough
            first = start
            progress.show(
                Double(state.searchedThrough - start) / Double(max(1, state.lastID - start)),
                "exchange \(state.searchedThrough) of \(state.lastID)", now: SystemClock.wallNow())
        }
    }

    private static func warnOfSlowSearches(_ problem: String?) {
        let reason = problem.map { ": \($0)" } ?? ""
        Report.warn(
            "the search index is not complete\(reason); searches in bodies are slow until proxyd, "
                + "while it is idle, has completed it")
    }

    private mutating func take(_ entry: InterchangeReader.Entry) throws {
        switch entry {
        case .failure(let problem):
            report.refusedCount += 1
            report.isDamaged = report.isDamaged || problem.isDamage
            if problem.abandonsLast { abandonLast() }
            guard report.refusedCount <= ImportRun.complaintCountMax else { return }
            Report.warn("\(fileName): \(problem)")
        case .success(.exchange(let imported)):
            // Only now is it certain that the last exchange has no more messages.
            if isBatchFull { try storeBatch() }
            try closeLast()
            batch.append(imported)
            batchByteCount += imported.exchange.request.body.kept.count
            batchByteCount += imported.exchange.response?.body.kept.count ?? 0
        case .success(.messages(let messages)): try take(messages)
        case .success(.leftOut(let kind)): report.leftOut[kind, default: 0] += 1
        }
    }

    /// Drops the last exchange, of which the file has only a part; reports it if already stored.
    private mutating func abandonLast() {
        if open == nil { _ = batch.popLast() } else { open?.abandon() }
    }

    private var isBatchFull: Bool {
        batch.count >= ImportRun.batchCountMax || batchByteCount >= ImportRun.batchByteCountMax
    }

    /// Messages are stored with their exchange, or after it if there are many.
    private mutating func take(_ messages: [MessageRecord]) throws {
        let byteCount = messages.reduce(0) {
            $0 + $1.memoryByteCount + MemoryLayout<MessageRecord>.stride
        }
        if var open {
            open.messages += messages
            open.byteCount += byteCount
            self.open = open
            if open.byteCount >= ImportRun.batchByteCountMax { try storeMessages() }
        } else if !batch.isEmpty {
            batch[batch.count - 1].messages += messages
            batchByteCount += byteCount
            if isBatchFull { try storeBatch(leavesLastOpen: true) }
        }
    }

    /// Stores the waiting messages of the open exchange.
    private mutating func storeMessages() throws {
        guard let waiting = open, !waiting.messages.isEmpty else { return }
        try destination.store([], [waiting.update(.active)], [])
        open?.messages = []
        open?.byteCount = 0
    }

    /// Ends the exchange that was left open.
    private mutating func closeLast() throws {
        guard let last = open else { return }
        open = nil
        try destination.store([], [last.update(last.state)], [])
    }

    /// `leavesLastOpen` is true if more messages of the last exchange may follow.
    private mutating func storeBatch(leavesLastOpen: Bool = false) throws {
        guard !batch.isEmpty else { return }
        let taken = try destination.takeIdentifiers(
            exchangeCount: batch.count, connectionCount: batch.count * 2)
        for (imported, id) in zip(batch, taken.exchanges) {
            if let source = imported.sourceID, source > 0 { numbers.add(source, id.rawValue) }
        }
        var free = taken.connections[...]
        var records: [ConnectionRecord] = []
        var updates: [ExchangeUpdate] = []
        var annotations: [AnnotationChange] = []
        for (imported, id) in zip(batch, taken.exchanges) {
            updates.append(
                imported.update(
                    id: id, client: connect(imported.exchange.client, &free, &records),
                    server: connect(imported.exchange.server, &free, &records),
                    replayOf: link(imported)))
            if let change = annotation(imported.exchange.annotations, id) {
                annotations.append(change)
            }
        }
        if leavesLastOpen, let last = updates.last {
            open = OpenImport(last)
            updates[updates.count - 1].state = .active
            updates[updates.count - 1].failure = nil
        }
        try destination.store(records, updates, annotations)
        report.keptCount += batch.count
        report.firstID = report.firstID ?? taken.exchanges.first
        report.lastID = taken.exchanges.last
        batch = []
        batchByteCount = 0
    }

    /// The new number of a connection; one of the file that was seen before keeps its number.
    private mutating func connect(
        _ record: ConnectionRecord?, _ free: inout ArraySlice<ConnectionID>,
        _ records: inout [ConnectionRecord]
    ) -> ConnectionID? {
        guard let record else { return nil }
        if record.id.rawValue > 0, let known = connections[record] { return known }
        guard let id = free.popFirst() else { return nil }
        records.append(record.renumbered(id))
        if record.id.rawValue > 0 {
            if connections.count >= ImportRun.sharedConnectionCountMax { connections = [:] }
            connections[record] = id
        }
        return id
    }

    private mutating func link(_ imported: ImportedExchange) -> ExchangeID? {
        guard let source = imported.exchange.replayOf else { return nil }
        if let id = numbers[source.rawValue] { return ExchangeID(rawValue: id) }
        report.lostLinkCount += 1
        return nil
    }

    private func annotation(
        _ annotations: Exchange.Annotations, _ id: ExchangeID
    ) -> AnnotationChange? {
        var annotations = annotations
        if let tag, !annotations.tags.contains(tag) { annotations.tags.append(tag) }
        guard annotations != Exchange.Annotations() else { return nil }
        return AnnotationChange(
            id: id, note: annotations.note, addedTags: annotations.tags,
            isPinned: annotations.isPinned ? true : nil)
    }
}

/// An exchange that has been stored while its messages are still being read.
struct OpenImport {
    private let id: ExchangeID
    private let timeline: Timeline
    private var failure: ExchangeFailure?
    private(set) var state: ExchangeState
    var messages: [MessageRecord] = []
    var byteCount = 0

    /// Creates the open exchange from an update that would have ended it.
    init(_ update: ExchangeUpdate) {
        id = update.id
        timeline = update.timeline
        failure = update.failure
        state = update.state
    }

    /// Records that the file ended before its messages did.
    mutating func abandon() {
        state = .failed
        failure = ExchangeFailure(
            origin: .proxy, kind: .closedEarly, message: "the file ended within its messages")
    }

    /// Creates an update with the messages that have not been stored yet.
    func update(_ state: ExchangeState) -> ExchangeUpdate {
        var update = ExchangeUpdate(id: id, state: state, timeline: timeline, isFirst: false)
        update.messages = messages
        if state != .active { update.failure = failure }
        return update
    }
}

/// Maps old numbers to new ones, stored as runs: a million consecutive exchanges take one run.
struct NumberMap {
    private struct Run {
        let old: Int64
        let new: Int64
        var count: Int64

        /// The offset of a number in the run; the number must not be below its first.
        func offset(of number: Int64) -> Int64 {
            let (offset, isFar) = number.subtractingReportingOverflow(old)
            return isFar ? .max : offset
        }
    }

    /// The runs, ascending by old number.
    private var runs: [Run] = []

    /// Adds an old number's new one; if an old number is added again, the latest is used.
    mutating func add(_ old: Int64, _ new: Int64) {
        let index = index(behind: old)
        if index > 0 {
            let run = runs[index - 1]
            let offset = run.offset(of: old)
            if offset == run.count, new &- run.new == offset {
                runs[index - 1].count += 1
                return
            }
            if offset < run.count { return split(index - 1, old, new) }
        }
        runs.insert(Run(old: old, new: new, count: 1), at: index)
    }

    subscript(old: Int64) -> Int64? {
        let index = index(behind: old)
        guard index > 0 else { return nil }
        let run = runs[index - 1]
        let offset = run.offset(of: old)
        return offset < run.count ? run.new &+ offset : nil
    }

    /// Inserts another number in the middle of a run.
    private mutating func split(_ index: Int, _ old: Int64, _ new: Int64) {
        let run = runs[index]
        let offset = run.offset(of: old)
        var parts: [Run] = []
        if offset > 0 { parts.append(Run(old: run.old, new: run.new, count: offset)) }
        parts.append(Run(old: old, new: new, count: 1))
        if offset + 1 < run.count {
            parts.append(
                Run(old: old &+ 1, new: run.new &+ offset &+ 1, count: run.count - offset - 1))
        }
        runs.replaceSubrange(index...index, with: parts)
    }

    /// The index of the first run that starts after a number.
    private func index(behind old: Int64) -> Int {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].old <= old { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
