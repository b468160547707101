internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Searches messages for a text, starting at one of them and wrapping around.
struct MessageSearch: Sendable {
    /// The result of a search.
    struct Found: Sendable {
        /// The matching message, or nil if there is none.
        let position: Int64?
        let isWrapped: Bool
    }

    let exchange: ExchangeID
    let sieve: MessageSieve
    let needle: BodyNeedle
    let direction: BodySearch.Direction
    /// The message that is searched last; nil starts at an end.
    let start: Int64?

    /// Messages are UTF-8 or bytes. Returns nil if there is nothing to search for.
    init?(
        _ exchange: ExchangeID, _ sieve: MessageSieve, _ needle: SearchNeedle,
        _ direction: BodySearch.Direction, from start: Int64?
    ) {
        let facts = BodyFacts(contentType: "text/plain; charset=utf-8", bytes: [])
        guard let bytes = needle.bytes(TextEncoding(facts)) else { return nil }
        self.exchange = exchange
        self.sieve = sieve
        self.needle = bytes
        self.direction = direction
        self.start = start
    }

    /// The work that searches, in the slot of all searches.
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
            exchange: exchange, sieve: sieve, context: context, looksIntoMessages: true)
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
