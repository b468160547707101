internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydPresentation

/// Totals of the messages of an exchange. Counting continues where it stopped, because stored
/// messages never change.
struct MessageTally: Sendable {
    static let slot = "messages.tally"

    struct Sum: Sendable, Hashable {
        /// The number of messages that carry data, and their bytes.
        var count: Int64 = 0
        var byteCount: Int64 = 0
        /// The number of pings, comments and the like.
        var otherCount: Int64 = 0
    }

    struct Closing: Sendable, Hashable {
        var direction: MessageRecord.Direction
        var bytes: [UInt8]
    }

    private(set) var toServer = Sum()
    private(set) var toClient = Sum()
    /// The first close frame: the side that sent it closed the connection.
    private(set) var closing: Closing?
    private(set) var problemCount: Int64 = 0
    /// The position up to which messages were counted.
    private(set) var through: Int64 = -1
    var isRunning = false

    private static let chunkCount = 4_096
    /// The maximum payload of a close frame in bytes (RFC 6455 §5.5).
    private static let closingByteCountMax = 125

    func work(_ exchange: ExchangeID) -> Work<DetailScreen.News> {
        Work(MessageTally.slot, on: .counts, isQuiet: true) { context, report in
            var tally = self
            var pace = ReportPace()
            while true {
                if context.isCancelled() { throw WorkCancelled() }
                let page = try context.exchanges.messages(
                    of: exchange, .after(tally.through), limit: MessageTally.chunkCount,
                    byteCountMax: 0)
                for row in page { try tally.add(row, exchange, context) }
                if page.count < MessageTally.chunkCount { break }
                if pace.isDue() { report(.tally(tally)) }
            }
            tally.isRunning = false
            return .tally(tally)
        }
    }

    private mutating func add(
        _ row: MessageRow, _ exchange: ExchangeID, _ context: WorkContext
    ) throws {
        through = max(through, row.position)
        if row.direction == .toServer { toServer.add(row) } else { toClient.add(row) }
        if row.problem != nil { problemCount += 1 }
        guard row.kind == .close, closing == nil else { return }
        let whole = try context.exchanges.messages(
            of: exchange, .at(row.position), limit: 1,
            byteCountMax: MessageTally.closingByteCountMax
        ).first
        closing = Closing(direction: row.direction, bytes: whole?.bytes ?? [])
    }
}

extension MessageTally.Sum {
    fileprivate mutating func add(_ row: MessageRow) {
        guard row.kind.isData else {
            otherCount += 1
            return
        }
        count += 1
        byteCount = byteCount.addingClamped(row.byteCount)
    }
}

struct MessageSums {
    let tally: MessageTally
    /// The position of the last message, or nil if there is none.
    let last: Int64?

    var facts: [Fact] { sums() + closing() }

    private func sums() -> [Fact] {
        guard let last else { return [] }
        let more = tally.through < last ? "+" : ""
        var facts: [Fact] = [
            Fact("messages", "→ \(MessageSums.words(tally.toServer, more)) to the server"),
            Fact("", "← \(MessageSums.words(tally.toClient, more)) to the client"),
        ]
        if tally.problemCount > 0 {
            let count = Quantity.grouped(tally.problemCount) + more
            facts.append(Fact("", "\(count) violating the protocol", .bad))
        }
        return facts
    }

    private static func words(_ sum: MessageTally.Sum, _ more: String) -> String {
        var text = "\(Quantity.grouped(sum.count))\(more), \(Quantity.bytes(sum.byteCount))\(more)"
        if sum.otherCount > 0 { text += ", and \(Quantity.grouped(sum.otherCount)) without data" }
        return text
    }

    private func closing() -> [Fact] {
        guard let closing = tally.closing else { return [] }
        let side = closing.direction == .toServer ? "client" : "server"
        guard let code = WebSocketCloseCode(payload: closing.bytes) else {
            return [Fact("closed", "by the \(side), without a code")]
        }
        let reason = String(decoding: closing.bytes.dropFirst(2), as: UTF8.self)
        let words = reason.isEmpty ? "" : " “\(reason)”"
        return [Fact("closed", "by the \(side): \(code)\(words)", code.isOrderly ? .plain : .bad)]
    }
}
