internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange

/// What the overview says of an exchange's messages, and of how its gRPC call ended.
struct MessageSums {
    let tally: MessageTally
    /// The position of the last message; nil where there is none.
    let last: Int64?
    let row: ExchangeRow
    let exchange: Exchange

    typealias Pair = (name: String, value: String, role: Style.Role)

    func pairs() -> [Pair] { status() + sums() + closing() }

    private func status() -> [Pair] {
        guard let line = GRPCStatusText.line(row, exchange) else { return [] }
        return [("grpc status", line, row.grpcStatus == 0 ? .success : .bad)]
    }

    private func sums() -> [Pair] {
        guard let last else { return [] }
        let more = tally.through < last ? "+" : ""
        var pairs: [Pair] = [
            ("messages", "→ \(MessageSums.words(tally.toServer, more)) to the server", .plain),
            ("", "← \(MessageSums.words(tally.toClient, more)) to the client", .plain),
        ]
        if tally.problemCount > 0 {
            let count = Quantity.grouped(tally.problemCount) + more
            pairs.append(("", "\(count) against a rule of the protocol", .bad))
        }
        return pairs
    }

    private static func words(_ sum: MessageTally.Sum, _ more: String) -> String {
        var text = "\(Quantity.grouped(sum.count))\(more), \(Quantity.bytes(sum.byteCount))\(more)"
        if sum.otherCount > 0 { text += ", and \(Quantity.grouped(sum.otherCount)) without data" }
        return text
    }

    private func closing() -> [Pair] {
        guard let closing = tally.closing else { return [] }
        let side = closing.direction == .toServer ? "client" : "server"
        guard let code = WebSocketCloseCode(payload: closing.octets) else {
            return [("closed", "by the \(side), without a code", .plain)]
        }
        let reason = String(decoding: closing.octets.dropFirst(2), as: UTF8.self)
        let words = reason.isEmpty ? "" : " “\(reason)”"
        return [("closed", "by the \(side): \(code)\(words)", code.isOrderly ? .plain : .bad)]
    }
}
