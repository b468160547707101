internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Goes through the messages of an exchange page by page and keeps those that a sieve lets through.
/// Use it on a worker thread; a million messages take seconds.
struct MessageScan {
    /// How many bytes of a message a list holds: more than a line of any screen shows.
    static let listedByteCount = 1 << 10
    /// The maximum size of one message in bytes, which is also the maximum that is ever stored.
    static let messageByteCountMax = 16 << 20
    /// The number of messages between two checks for cancellation.
    private static let chunkCount = 512
    /// How many bytes of a message are read with its page if its text is tested; larger messages
    /// are read one by one.
    static let lookByteCount = 8 << 10

    let exchange: ExchangeID
    let sieve: MessageSieve
    let context: WorkContext
    /// Whether more than the start of each message is read.
    var looksIntoMessages = false

    /// Receives what was found since the last call, and the share of the messages on this side that
    /// was scanned, 0 to 1.
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
            let wanted = sieve.passesAll ? max(1, count - found) : MessageScan.chunkCount
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
        var place = start
        while true {
            if context.isCancelled() { throw WorkCancelled() }
            let page = try read(place, count: MessageScan.chunkCount)
            guard let last = page.last else { return }
            let goesOn = try body(page.filter(passes))
            looked(last.position)
            guard goesOn, page.count == MessageScan.chunkCount else { return }
            place = start.isTowardsEnd ? .after(last.position) : .before(last.position)
        }
    }

    /// The position of the last message, or -1 if there is none.
    func last() throws -> Int64 {
        try context.exchanges.lastMessagePosition(of: exchange) ?? -1
    }

    private func read(_ page: MessagePage, count: Int) throws -> [MessageRow] {
        try context.exchanges.messages(
            of: exchange, page, limit: count,
            byteCountMax: sieve.isFiltered || looksIntoMessages
                ? MessageScan.lookByteCount : MessageScan.listedByteCount)
    }

    /// Whether a message matches, which may require reading all of it.
    private func passes(_ row: MessageRow) throws -> Bool {
        guard sieve.passesKind(row) else { return false }
        guard sieve.isFiltered else { return true }
        let isWhole = row.bytes.count < MessageScan.lookByteCount
        let message = UnreadMessage(row) {
            isWhole ? row : try MessageScan.whole(row.position, of: exchange, context)
        }
        let isPassing = sieve.passesFilter(message)
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

    /// A message with only the bytes that a list shows.
    private static func listed(_ row: MessageRow) -> MessageRow {
        guard row.bytes.count > listedByteCount else { return row }
        var row = row
        row.bytes = Array(row.bytes.prefix(listedByteCount))
        return row
    }
}

/// How many messages match a sieve.
struct MessageCount: Sendable, Hashable {
    var number: Int64
    /// The position up to which they were counted.
    var through: Int64
}

extension MessageScan {
    /// The range of messages to go through.
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
    /// Whether positions increase.
    var isTowardsEnd: Bool {
        switch self {
        case .oldest, .after, .at: true
        case .newest, .before: false
        }
    }
}
