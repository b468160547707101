internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydPresentation

/// The work of a list of messages off the drawing thread.
enum MessageWorks {
    struct Part: Sendable {
        /// Where the list starts over with this part, or nil if it continues.
        var start: MessageList.Start?
        let slice: MessageSlice
        /// The share of the messages that was scanned, or nil if all were.
        var share: Double?
        /// The position of the last message, or nil if it was not read.
        var last: Int64?
        /// How gRPC messages are decoded, or nil if the part contains none.
        var grpc: GRPCReading?
    }

    static func begin(
        _ start: MessageList.Start, _ exchange: ExchangeID, _ matcher: MessageMatcher, count: Int
    ) -> Work<DetailScreen.News> {
        Work(RowLoad.page.messageSlot, on: workQueue(matcher)) { context, report in
            let scan = MessageScan(exchange: exchange, matcher: matcher, context: context)
            let last = try scan.last()
            var begun: MessageList.Start? = start
            func part(_ slice: MessageSlice, _ share: Double?) -> Part {
                defer { begun = nil }
                let grpc = try? reading(slice, exchange, context)
                return Part(start: begun, slice: slice, share: share, last: last, grpc: grpc)
            }
            func read(_ page: MessagePage) throws -> Part {
                let slice = try scan.slice(from: page, count: count) {
                    report(.part(part($0, $1), .page, isFinal: false))
                }
                return part(slice, nil)
            }
            switch start {
            case .first: return .part(try read(.oldest), .page, isFinal: true)
            case .last: return .part(try read(.newest), .page, isFinal: true)
            case .around(let position):
                report(.part(try read(.after(position &- 1)), .page, isFinal: false))
                return .part(try read(.before(position)), .page, isFinal: true)
            }
        }
    }

    static func more(
        _ load: RowLoad, from page: MessagePage, _ exchange: ExchangeID,
        _ matcher: MessageMatcher, count: Int
    ) -> Work<DetailScreen.News> {
        Work(load.messageSlot, on: workQueue(matcher)) { context, report in
            let scan = MessageScan(exchange: exchange, matcher: matcher, context: context)
            let slice = try scan.slice(from: page, count: count) {
                report(.part(Part(slice: $0, share: $1), load, isFinal: false))
            }
            return .part(Part(slice: slice), load, isFinal: true)
        }
    }

    /// Reads what follows the loaded rows; if they do not reach the end, only the last position.
    static func news(
        _ exchange: ExchangeID, _ matcher: MessageMatcher, after position: Int64?, count: Int
    ) -> Work<DetailScreen.News> {
        Work(RowLoad.refresh.messageSlot, on: workQueue(matcher), isQuiet: true) { context in
            let scan = MessageScan(exchange: exchange, matcher: matcher, context: context)
            let last = try scan.last()
            guard let position, last > position else {
                let none = Part(slice: MessageSlice(side: .after, isAtEdge: true), last: last)
                return .part(none, .refresh, isFinal: true)
            }
            let slice = try scan.slice(from: .after(position), count: count)
            let part = Part(slice: slice, last: last, grpc: try reading(slice, exchange, context))
            return .part(part, .refresh, isFinal: true)
        }
    }

    /// How the messages found are decoded, or nil if none is a gRPC message.
    private static func reading(
        _ slice: MessageSlice, _ exchange: ExchangeID, _ context: WorkContext
    ) throws -> GRPCReading? {
        guard slice.rows.contains(where: { $0.kind == .grpc }) else { return nil }
        return try context.exchanges.grpcReading(of: exchange)
    }

    static func count(_ exchange: ExchangeID, _ matcher: MessageMatcher) -> Work<DetailScreen.News>
    {
        Work(MessageList.countSlot, on: .counts) { context, report in
            .counted(
                try MessageScan(exchange: exchange, matcher: matcher, context: context).count {
                    report(.counting($0))
                })
        }
    }

    /// A filter may scan all messages, and keys must not wait for that.
    private static func workQueue(_ matcher: MessageMatcher) -> WorkQueue {
        matcher.isFiltered ? .searches : .rows
    }
}

/// Goes through the messages of an exchange page by page and keeps those that a matcher accepts.
/// Use it on a worker thread; a million messages take seconds.
struct MessageScan {
    /// How many bytes of a message a list keeps: more than a line of any screen shows.
    static let listedByteCount = 1 << 10
    /// The maximum size of one message in bytes, which is also the maximum that is ever stored.
    static let messageByteCountMax = 16 << 20
    /// The number of messages between two checks for cancellation.
    private static let chunkCount = 512
    /// How many bytes of a tested message are read with its page; larger ones are read one by one.
    static let lookByteCount = 8 << 10

    let exchange: ExchangeID
    let matcher: MessageMatcher
    let context: WorkContext
    /// Whether more than the start of each message is read.
    var looksIntoMessages = false

    /// Receives what was found since the last call, and the share scanned on this side, 0 to 1.
    typealias Progress = (MessageSlice, Double) -> Void

    /// Returns at least `count` messages on one side of a page's position, if there are that many;
    /// only those that `progress` has not received yet. Throws `WorkCancelled` after cancellation.
    func slice(
        from start: MessagePage, count: Int, progress: Progress = { _, _ in }
    ) throws -> MessageSlice {
        var slice = MessageSlice(side: start.isTowardsEnd ? .after : .before)
        var found = 0
        var pace = ReportPace()
        let span = Span(start, last: try last())
        while true {
            let wanted = matcher.passesAll ? max(1, count - found) : MessageScan.chunkCount
            let page = try read(slice.next ?? start, count: wanted)
            let passing = try page.filter(passes).map(MessageScan.listed)
            found += passing.count
            slice.take(page, passing: passing)
            slice.isAtEdge = page.count < wanted
            if slice.isAtEdge || found >= count { return slice }
            if context.isCancelled() { throw WorkCancelled() }
            if pace.isDue() {
                progress(slice, span.share(of: slice))
                slice.rows = []
            }
        }
    }

    /// Counts the messages that match, and returns the position up to which they were counted.
    func count(progress: (Int64) -> Void) throws -> MessageCount {
        var count = MessageCount(number: 0, through: -1)
        var pace = ReportPace()
        try forEachPage(from: .oldest) { page in
            count.number += Int64(page.count)
            if pace.isDue() { progress(count.number) }
            return true
        } looked: {
            count.through = $0
        }
        return count
    }

    /// Passes matching messages on page by page until the closure returns false; reports progress.
    func forEachPage(
        from start: MessagePage, _ body: ([MessageRow]) throws -> Bool,
        looked: (Int64) -> Void = { _ in }
    ) throws {
        var position = start
        while true {
            if context.isCancelled() { throw WorkCancelled() }
            let page = try read(position, count: MessageScan.chunkCount)
            guard let last = page.last else { return }
            let goesOn = try body(page.filter(passes))
            looked(last.position)
            guard goesOn, page.count == MessageScan.chunkCount else { return }
            position = start.isTowardsEnd ? .after(last.position) : .before(last.position)
        }
    }

    /// The position of the last message, or -1 if there is none.
    func last() throws -> Int64 { try context.exchanges.lastMessagePosition(of: exchange) ?? -1 }

    private func read(_ page: MessagePage, count: Int) throws -> [MessageRow] {
        try context.exchanges.messages(
            of: exchange, page, limit: count,
            byteCountMax: matcher.isFiltered || looksIntoMessages
                ? MessageScan.lookByteCount : MessageScan.listedByteCount)
    }

    /// Whether a message matches, which may require reading all of it.
    private func passes(_ row: MessageRow) throws -> Bool {
        guard matcher.passesKind(row) else { return false }
        guard matcher.isFiltered else { return true }
        let isWhole = row.bytes.count < MessageScan.lookByteCount
        let message = UnreadMessage(row) {
            isWhole ? row : try MessageScan.whole(row.position, of: exchange, context)
        }
        let isPassing = matcher.passesFilter(message)
        if let failure = message.failure { throw failure }
        return isPassing
    }

    /// A message with all of its stored bytes, or nil if it was deleted.
    static func whole(
        _ position: Int64, of exchange: ExchangeID, _ context: WorkContext
    ) throws -> MessageRow? {
        try context.exchanges.messages(
            of: exchange, .at(position), limit: 1, byteCountMax: messageByteCountMax
        ).first
    }

    private static func listed(_ row: MessageRow) -> MessageRow {
        guard row.bytes.count > listedByteCount else { return row }
        var row = row
        row.bytes = Array(row.bytes.prefix(listedByteCount))
        return row
    }
}

struct MessageCount: Sendable, Hashable {
    var number: Int64
    /// The position up to which they were counted.
    var through: Int64
}

extension MessageScan {
    private struct Span {
        let count: Int64

        init(_ start: MessagePage, last: Int64) {
            switch start {
            case .after(let position): count = max(0, last &- position)
            case .before(let position): count = max(0, min(last, position))
            case .oldest, .newest: count = max(0, last)
            case .at: count = 0
            }
        }

        func share(of slice: MessageSlice) -> Double {
            guard let looked = slice.looked, count > 0 else { return 0 }
            return min(1, Double(looked.upperBound &- looked.lowerBound) / Double(count))
        }
    }
}

extension MessagePage {
    var isTowardsEnd: Bool {
        switch self {
        case .oldest, .after, .at: true
        case .newest, .before: false
        }
    }
}

struct MessageMatcher: Sendable {
    private var filter = MessageFilter.everything
    var hidesPings = false

    init(_ filter: MessageFilter = .everything, hidesPings: Bool) {
        self.filter = filter
        self.hidesPings = hidesPings
    }

    func filtered(by filter: MessageFilter) -> MessageMatcher {
        MessageMatcher(filter, hidesPings: hidesPings)
    }

    var text: String { filter.text }
    var isFiltered: Bool { !filter.matchesEverything }
    var passesAll: Bool { !isFiltered && !hidesPings }

    func passesKind(_ message: MessageRow) -> Bool {
        !(hidesPings && (message.kind == .ping || message.kind == .pong))
    }

    func passesFilter(_ message: some MessageFilterSubject) -> Bool { filter.matches(message) }
}

/// A message that is read completely only if a filter tests its text. Confined to one thread.
final class UnreadMessage: MessageFilterSubject {
    let row: MessageRow
    private let whole: () throws -> MessageRow?
    private var known: [UInt8]?
    private(set) var failure: (any Error)?

    init(_ row: MessageRow, whole: @escaping () throws -> MessageRow?) {
        self.row = row
        self.whole = whole
    }

    var direction: MessageRecord.Direction { row.direction }
    var kind: MessageRecord.Kind { row.kind }
    var byteCount: Int64 { row.byteCount }
    var problem: String? { row.problem }

    var bytes: [UInt8] {
        if let known { return known }
        do {
            known = try whole()?.bytes
        } catch {
            failure = error
        }
        let bytes = known ?? row.bytes
        known = bytes
        return bytes
    }
}

/// Messages found while going through an exchange's messages from a position.
struct MessageSlice: Sendable {
    enum Side: Sendable, Hashable {
        case before
        case after
    }

    let side: Side
    /// The messages in order of their positions, each with only its start.
    var rows: [MessageRow] = []
    /// The range of positions scanned so far, or nil if there were no messages.
    var looked: ClosedRange<Int64>?
    /// Whether there are no further messages on this side.
    var isAtEdge = false

    /// Takes the messages of a page, in the page's order. `passing` are those to keep.
    mutating func take(_ page: [MessageRow], passing: [MessageRow]) {
        switch side {
        case .after: rows += passing
        case .before: rows = passing.reversed() + rows
        }
        guard let first = page.first?.position, let last = page.last?.position else { return }
        let seen = min(first, last)...max(first, last)
        looked =
            looked.map { min($0.lowerBound, seen.lowerBound)...max($0.upperBound, seen.upperBound) }
            ?? seen
    }

    var next: MessagePage? {
        looked.map { side == .after ? .after($0.upperBound) : .before($0.lowerBound) }
    }
}

/// Searches messages for a text, starting at one of them and wrapping around.
struct MessageSearch: Sendable {
    struct Found: Sendable {
        let position: Int64?
        let isWrapped: Bool
    }

    let exchange: ExchangeID
    let matcher: MessageMatcher
    let needle: BodyNeedle
    let direction: BodySearch.Direction
    /// The message that is searched last; nil starts at an end.
    let start: Int64?

    /// Messages are UTF-8 or bytes. Returns nil if there is nothing to search for.
    init?(
        _ exchange: ExchangeID, _ matcher: MessageMatcher, _ needle: SearchNeedle,
        _ direction: BodySearch.Direction, from start: Int64?
    ) {
        let facts = BodyFacts(contentType: "text/plain; charset=utf-8", bytes: [])
        guard let bytes = needle.bytes(TextEncoding(facts)) else { return nil }
        self.exchange = exchange
        self.matcher = matcher
        self.needle = bytes
        self.direction = direction
        self.start = start
    }

    var work: Work<DetailScreen.News> {
        Work("search", on: .searches) { context, report in
            .foundMessage(
                try find(context) { byteCount in
                    report(.progress(DetailWorks.Progress(byteCount: Int(clamping: byteCount))))
                })
        }
    }

    private func find(_ context: WorkContext, _ progress: (Int64) -> Void) throws -> Found {
        let isForward = direction == .forward
        if let start {
            let page: MessagePage = isForward ? .after(start) : .before(start)
            if let position = try first(from: page, context, progress) {
                return Found(position: position, isWrapped: false)
            }
        }
        let position = try first(from: isForward ? .oldest : .newest, context, progress)
        return Found(position: position, isWrapped: start != nil && position != nil)
    }

    private func first(
        from page: MessagePage, _ context: WorkContext, _ progress: (Int64) -> Void
    ) throws -> Int64? {
        let scan = MessageScan(
            exchange: exchange, matcher: matcher, context: context, looksIntoMessages: true)
        var pace = ReportPace()
        var byteCount: Int64 = 0
        var found: Int64?
        try scan.forEachPage(from: page) { rows in
            for row in rows where found == nil {
                if try isFound(in: row, context) { found = row.position }
                byteCount = byteCount.addingClamped(row.byteCount)
            }
            if pace.isDue() { progress(byteCount) }
            return found == nil
        }
        return found
    }

    private func isFound(in row: MessageRow, _ context: WorkContext) throws -> Bool {
        var bytes = row.bytes
        if bytes.count >= MessageScan.lookByteCount {
            bytes = try MessageScan.whole(row.position, of: exchange, context)?.bytes ?? []
        }
        return needle.first(in: bytes.span, 0..<bytes.count) != nil
    }
}
