internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Extracts the messages of one call: those in its bodies, or those of a WebSocket.
struct RecordedMessages {
    private let startNs: Int64
    private var request: BodyObserver?
    private var response: BodyObserver?
    private var socket: WebSocketObserver?
    private var count: Int64 = 0
    private var new: [MessageRecord] = []
    private(set) var heldByteCount = 0

    /// Observes a request that started at a time on the monotonic clock.
    init(_ head: RequestHead, startNs: Int64) {
        self.startNs = startNs
        request = BodyObserver(request: head)
    }

    /// The status in the last message of the response's body, or nil if there is none.
    var grpcStatus: Int64? { response?.grpcStatus }
    /// Whether the connection has switched to WebSocket.
    var isWebSocket: Bool { socket != nil }
    /// Whether both sides have sent a close frame.
    var isClosedCleanly: Bool { socket?.isClosedCleanly ?? false }
    /// Whether either side has sent a close frame.
    var isClosing: Bool { socket?.isClosing ?? false }

    /// The new messages since the last call.
    mutating func take() -> [MessageRecord] {
        defer {
            new = []
            heldByteCount = 0
        }
        return new
    }

    // MARK: Bodies

    /// The final response's head has arrived.
    mutating func begin(_ head: ResponseHead) { response = BodyObserver(response: head) }

    /// A piece of a body has passed, of which the first `kept` bytes are kept.
    mutating func receive(_ bytes: [UInt8], kept: Int, _ direction: MessageRecord.Direction) {
        guard let body = direction == .toServer ? request : response else { return }
        var told: [MessageRecord] = []
        body.receive(bytes.span.extracting(0..<kept)) { told.append($0) }
        if kept < bytes.count {
            body.keptPartEnded()
            body.receive(bytes.span.extracting(kept..<bytes.count)) { told.append($0) }
        }
        note(told)
    }

    /// A body has ended or was cut short.
    mutating func finish(_ direction: MessageRecord.Direction, isCutShort: Bool) {
        guard let body = direction == .toServer ? request : response else { return }
        var told: [MessageRecord] = []
        body.finish(isCutShort: isCutShort) { told.append($0) }
        note(told)
    }

    // MARK: WebSocket

    /// A WebSocket is open; if the server agreed to something invalid, that is recorded first.
    mutating func beginWebSocket(
        request: HeaderFields, response: HeaderFields, keptByteCountMax: Int
    ) {
        var agreement = WebSocketAgreement()
        do throws(WebSocketAgreement.Fault) {
            agreement = try WebSocketAgreement(request: request, response: response)
        } catch {
            note([
                MessageRecord(
                    direction: .toClient, kind: .invalid, flags: .invalid, byteCount: 0,
                    content: .bytes([]), problem: error.description)
            ])
        }
        let limits = MessageLimits(keptByteCountMax: min(1 << 20, keptByteCountMax))
        socket = WebSocketObserver(agreement: agreement, limits: limits)
        self.request = nil
        self.response = nil
    }

    /// Bytes of a WebSocket have passed.
    mutating func receive(_ bytes: [UInt8], _ direction: MessageRecord.Direction) {
        var told: [MessageRecord] = []
        socket?.receive(bytes.span, direction) { told.append($0) }
        note(told)
    }

    /// The connection of a WebSocket has ended.
    mutating func endWebSocket() {
        var told: [MessageRecord] = []
        socket?.end { told.append($0) }
        note(told)
    }

    private mutating func note(_ told: [MessageRecord]) {
        let offsetNs = EventLoop.monotonicNow() &- startNs
        for var message in told {
            message.position = count
            message.offsetNs = offsetNs
            count += 1
            heldByteCount += message.heldByteCount
            new.append(message)
        }
    }
}
