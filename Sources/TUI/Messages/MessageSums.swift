internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange

/// The totals of an exchange's messages in the overview.
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
