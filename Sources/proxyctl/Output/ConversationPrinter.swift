internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydSystem

/// Prints messages received over a WebSocket as they arrive, in the format of `proxyctl messages`.
///
/// Why this is safe although the printer is not Sendable: `printer` is used only by `listen`, which
/// is called once.
final class ConversationPrinter: @unchecked Sendable {
    private let printer: MessagePrinter
    private let environment: Environment

    init(asJSON: Bool, exchange: Exchange, _ environment: Environment) {
        printer = MessagePrinter(asJSON: asJSON, environment)
        self.environment = environment
    }

    /// Prints until the end; returns how it ended.
    func listen(to socket: WebSocketRequest) async -> WebSocketRequest.Completion? {
        var completion: WebSocketRequest.Completion?
        var position: Int64 = 0
        for await event in socket.events {
            completion = event.completion ?? completion
            switch event.kind {
            case .receivedMessage(let message):
                let kind: MessageRecord.Kind = message.string == nil ? .binary : .text
                print(kind, message.bytes, position)
                position += 1
            case .disconnected(let code, let reason):
                let high = UInt8(truncatingIfNeeded: code.rawValue >> 8)
                let low = UInt8(truncatingIfNeeded: code.rawValue)
                print(.close, [high, low] + Array(reason.utf8), position)
            case .connected, .serializerFailed, .completed: break
            }
            // The output is no longer read.
            if environment.output.failure != nil { socket.cancel() }
        }
        return completion
    }

    private func print(_ kind: MessageRecord.Kind, _ bytes: [UInt8], _ position: Int64) {
        printer.print(
            MessageRow(
                position: position, direction: .toClient, kind: kind, flags: [],
                atNs: SystemClock.wallNow(), byteCount: Int64(bytes.count),
                wireByteCount: Int64(bytes.count), problem: nil, bytes: bytes))
        printer.flush()
    }
}
