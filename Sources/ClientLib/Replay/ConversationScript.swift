internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Reads a recorded WebSocket message by message: what its client said, and what came of it.
struct ConversationScript {
    /// A message to be sent.
    struct Line: Sendable {
        let message: WebSocketRequest.Message
        /// How many messages of the server stood before it.
        let answerCount: Int
        /// When it was sent, after the start of the exchange; nanoseconds.
        let offsetNs: Int64
    }

    private let sendsTruncated: Bool
    /// What came of the messages so far.
    private(set) var outcome = ConversationResult.Outcome()
    /// What the client closed it with; nil where it did not, or only answered the server.
    private(set) var closing: WebSocketClosing?

    init(sendsTruncated: Bool) { self.sendsTruncated = sendsTruncated }

    /// What is to be sent for the next message; nil where nothing is.
    /// - Throws: `.replayRefused` with `.truncatedMessage` or `.messageNotUTF8`.
    mutating func take(_ record: MessageRecord) throws(ClientError) -> Line? {
        guard case .bytes(let bytes) = record.content else { return nil }
        if record.kind == .close {
            note(close: bytes, record.direction)
            return nil
        }
        guard record.kind == .text || record.kind == .binary,
            !record.flags.contains(.unfinished)
        else { return nil }
        if record.direction == .toClient {
            outcome.receivedCount += 1
            return nil
        }
        let unknown: MessageRecord.Flags = [.cut, .stillCompressed]
        guard sendsTruncated || record.flags.isDisjoint(with: unknown) else {
            throw ClientError(
                .replayRefused(
                    .truncatedMessage(
                        position: record.position, byteCount: record.byteCount,
                        keptByteCount: Int64(bytes.count))))
        }
        let message = try message(bytes, of: record)
        outcome.sentCount += 1
        return Line(
            message: message, answerCount: outcome.receivedCount, offsetNs: record.offsetNs)
    }

    /// What was said, byte for byte.
    private func message(
        _ bytes: [UInt8], of record: MessageRecord
    ) throws(ClientError) -> WebSocketRequest.Message {
        guard record.kind == .text else { return .data(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ClientError(.replayRefused(.messageNotUTF8(position: record.position)))
        }
        return .string(text)
    }

    private mutating func note(close bytes: [UInt8], _ direction: MessageRecord.Direction) {
        // What breaks the rules is not said again.
        let said = (try? WebSocketClosing(bytes.span)) ?? WebSocketClosing(code: 1_000)
        switch direction {
        case .toClient: outcome.closeCode = said.code.map(Int.init) ?? 1_005
        case .toServer: closing = outcome.closeCode == nil ? said : nil
        }
    }
}
