internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

/// The conversation over one WebSocket, from its opening to its close.
///
/// ```
/// opening ──101──▶ open ──close frame sent or come──▶ closing ──both──▶ closed
///    └──other answer──▶ refused        └────────end, fault────────────────▲
/// ```
final class WebSocketConversation: BodyConsumer {
    /// The number of bytes kept of a response that does not open the WebSocket.
    private static let refusalByteCountMax = 64 << 10

    private enum Stage {
        case opening
        case refused(body: [UInt8])
        case open
        /// A close frame has been sent.
        case closing
        case closed
    }

    private struct State {
        var stage = Stage.opening
        var handshake: WebSocketOpening?
        var call: (any TransportCall)?
        var agreement: WebSocketOpening.Agreement?
        var serverClosing: WebSocketClosing?
        /// Whether this side started closing.
        var isClosedByUs = false
        /// Why the WebSocket ended before the server closed it.
        var failure: ClientError?
        var tasks: [Task<Void, Never>] = []

        var isRefused: Bool { if case .refused = stage { true } else { false } }
        var isOver: Bool {
            switch stage {
            case .closed: true
            case .refused(let body): body.count >= WebSocketConversation.refusalByteCountMax
            case .opening, .open, .closing: false
            }
        }

        /// Keeps the start of a response that does not open the WebSocket; returns whether it is
        /// one.
        mutating func keepsRefusal(_ bytes: [UInt8]) -> Bool {
            guard case .refused(var body) = stage else { return false }
            body += bytes.prefix(WebSocketConversation.refusalByteCountMax - body.count)
            stage = .refused(body: body)
            return true
        }
    }

    let configuration: WebSocketRequest.Configuration
    let events = Broadcast<WebSocketRequest.Event<WebSocketRequest.Message, Never>>()
    /// Whether the WebSocket was opened, or why not.
    let opening = AsyncPromise<Result<Void, ClientError>>()
    let end = AsyncPromise<ClientError?>()
    let pings = WebSocketPings()
    private let sendQueue = AsyncSerialQueue()
    private let output = Mutex(WebSocketOutput())
    private let input = Mutex<WebSocketAssembler?>(nil)
    private let state = Mutex(State())
    private let pongs = WebSocketPongs()

    init(_ configuration: WebSocketRequest.Configuration) { self.configuration = configuration }

    var agreement: WebSocketOpening.Agreement? { state.withLock { $0.agreement } }
    var serverClosing: WebSocketClosing? { state.withLock { $0.serverClosing } }

    // MARK: Opening

    let wantsPiecesAtOnce = true
    let isValidatedAtHead = true
    var isRetryable: Bool { state.withLock { $0.agreement == nil } }
    var isSatisfied: Bool { state.withLock { $0.isOver } }

    func prepare(_ request: inout HTTPRequest) throws(ClientError) {
        WebSocketOpening.prepare(&request, configuration)
        let handshake = WebSocketOpening(fields: request.fields)
        state.withLock { state in
            state = State()
            state.handshake = handshake
        }
    }

    func begin(over call: any TransportCall) { state.withLock { $0.call = call } }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {
        guard opens(head) else { return state.withLock { $0.stage = .refused(body: []) } }
        let handshake = state.withLock { $0.handshake }
        guard let agreement = try handshake?.agreement(in: head) else { return }
        let limit = configuration.maximumMessageSize
        input.withLock { $0 = WebSocketAssembler(agreement.compression, byteCountMax: limit) }
        output.withLock { $0 = WebSocketOutput(agreement.compression) }
        state.withLock { state in
            state.agreement = agreement
            state.stage = .open
        }
        await events.give(.init(kind: .connected(protocol: agreement.subprotocol)), byteCount: 0)
        opening.fulfil(.success(()))
        if let interval = configuration.pingInterval { startPings(every: interval) }
    }

    private func opens(_ head: ResponseHead) -> Bool {
        state.withLock { $0.call?.report.isSwitch(head) ?? false }
    }

    // MARK: Receiving

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        if state.withLock({ $0.keepsRefusal(bytes) }) { return }
        pings.noteArrival()
        input.withLock { $0?.append(bytes) }
        do throws(WebSocketViolation) {
            while let item = try nextItem() { await take(item) }
        } catch {
            fail(error.error, closingWith: error.closeCode)
            throw error.error
        }
    }

    private func nextItem() throws(WebSocketViolation) -> WebSocketAssembler.Item? {
        try input.withLock { input throws(WebSocketViolation) in try input?.next() }
    }

    private func take(_ item: WebSocketAssembler.Item) async {
        switch item {
        case .message(let message):
            await events.give(
                .init(kind: .receivedMessage(message)), byteCount: message.byteCount + 64)
        case .ping(let payload): answer(payload)
        case .pong(let payload): pings.received(payload)
        case .close(let closing): await closed(by: closing)
        }
    }

    /// The server closes: its close frame is answered unless this side's was sent first (RFC 6455
    /// §5.5.1).
    private func closed(by closing: WebSocketClosing) async {
        let (call, isAnswered) = state.withLock { state in
            state.serverClosing = closing
            defer { state.stage = .closed }
            if case .closing = state.stage { state.isClosedByUs = true }
            return (state.call, state.isClosedByUs)
        }
        let answer = WebSocketClosing(code: closing.code)
        if !isAnswered { call?.post(WebSocketOutput.frame(.close, answer.payload)) }
        // Nothing follows, so there is no need to wait for slow subscribers.
        events.hurry()
        await events.give(
            .init(kind: .disconnected(closeCode: .init(closing), reason: closing.reason)),
            byteCount: 0)
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {
        stopTasks()
        let last = state.withLock { state in
            let last = state
            if !state.isRefused { state.stage = .closed }
            return last
        }
        if case .refused(let body) = last.stage {
            completion.data = body.isEmpty ? nil : body
            let status = completion.response?.status ?? 0
            throw ClientError(.webSocketFailed(.notUpgraded(status: status)))
        }
        let end = ClientError(.webSocketFailed(.closedAbnormally))
        pings.end(with: last.failure ?? end)
        if let failure = last.failure { throw failure }
        guard let closing = last.serverClosing else { throw end }
        let code = WebSocketRequest.CloseCode(closing)
        if !code.isNormal, !last.isClosedByUs { throw ClientError(.webSocketFailed(.closed(code))) }
    }

    func fail(_ error: ClientError, _ completion: inout RequestOutcome) async {
        stopTasks()
        pings.end(with: error)
        state.withLock { if !$0.isRefused { $0.stage = .closed } }
    }

    /// Tells all subscribers that nothing more follows.
    func end(with completion: WebSocketRequest.Completion) {
        let error = completion.error ?? ClientError(.webSocketFailed(.notOpen))
        opening.fulfil(.failure(error))
        end.fulfil(completion.error)
        events.end(with: .init(kind: .completed(completion)))
    }

    private func stopTasks() {
        let tasks = state.withLock { state in
            defer { state.tasks = [] }
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }

    // MARK: Sending

    /// Sends a message, and waits until there is room for more.
    func send(_ message: WebSocketRequest.Message) async throws(ClientError) {
        try await opening.value.get()
        try await sendQueue.run { () async throws(ClientError) in
            guard let call = openCall else { throw ClientError(.webSocketFailed(.notOpen)) }
            let bytes = output.withLock { $0.bytes(of: message) }
            try await call.send(bytes)
        }
    }

    /// Sends a ping after the data that is being sent.
    func sendPing(_ payload: [UInt8]) async throws(ClientError) {
        try await opening.value.get()
        try await sendQueue.run { () async throws(ClientError) in
            guard let call = openCall else { throw ClientError(.webSocketFailed(.notOpen)) }
            try await call.send(WebSocketOutput.frame(.ping, payload))
        }
    }

    private var openCall: (any TransportCall)? {
        state.withLock { state in if case .open = state.stage { state.call } else { nil } }
    }

    /// Answers the newest ping as soon as there is room, so that a server that floods with pings
    /// and reads nothing does not fill the memory.
    private func answer(_ payload: [UInt8]) {
        guard pongs.mustStart(with: payload) else { return }
        Task {
            while let payload = pongs.next() {
                try? await sendQueue.run { () async throws(ClientError) in
                    try await openCall?.send(WebSocketOutput.frame(.pong, payload))
                }
            }
        }
    }

    // MARK: Closing

    /// Sends a close frame after the data that is being sent. The server has a limited time to
    /// answer.
    func close(_ closing: WebSocketClosing) async {
        let (clock, timeout) = (configuration.clock, configuration.closeTimeout)
        watch(
            Task { [weak self] in
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                self?.fail(ClientError(.webSocketFailed(.closedAbnormally)), closingWith: nil)
            })
        await sendQueue.run {
            let call: (any TransportCall)? = state.withLock { state in
                guard case .open = state.stage else { return nil }
                state.stage = .closing
                return state.call
            }
            call?.post(WebSocketOutput.frame(.close, closing.payload))
        }
        // Messages that still arrive may be dropped for slow subscribers: the server's close frame
        // comes after them.
        events.hurry()
    }

    func willCancel() { fail(ClientError(.explicitlyCancelled), closingWith: .goingAway) }

    /// Ends the WebSocket immediately: sends the reason unless a close frame was already sent, and
    /// closes the connection.
    private func fail(_ error: ClientError, closingWith code: WebSocketRequest.CloseCode?) {
        let (call, mustTell) = state.withLock { state -> ((any TransportCall)?, Bool) in
            switch state.stage {
            case .opening, .refused, .closed: return (nil, false)
            case .open, .closing: break
            }
            let isOpen = if case .open = state.stage { true } else { false }
            state.stage = .closed
            state.failure = error
            return (state.call, isOpen)
        }
        events.hurry()
        if mustTell, let code {
            let closing = WebSocketClosing(code: code.rawValue)
            call?.post(WebSocketOutput.frame(.close, closing.payload))
        }
        call?.close()
    }

    // MARK: Pings

    private func startPings(every interval: Duration) {
        let clock = configuration.clock
        watch(
            Task { [weak self] in
                while (try? await clock.sleep(for: interval)) != nil {
                    guard let self, await pingAgain() else { return }
                }
            })
    }

    /// Sends a ping; returns whether to continue.
    private func pingAgain() async -> Bool {
        // The answer may be queued after data that no subscriber has read yet.
        if events.isSenderWaiting { return true }
        guard let payload = pings.next() else {
            fail(ClientError(.webSocketFailed(.pingTimedOut)), closingWith: .goingAway)
            return false
        }
        return (try? await sendPing(payload)) != nil
    }

    private func watch(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if state.isOver { return true }
            state.tasks.append(task)
            return false
        }
        if isOver { task.cancel() }
    }
}

/// Runs the operations of several tasks one after another, first come, first served.
final class AsyncSerialQueue: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
        var firstWaiting = 0

        mutating func advance() {
            firstWaiting += 1
            guard firstWaiting >= 64, firstWaiting * 2 >= waiting.count else { return }
            waiting.removeFirst(firstWaiting)
            firstWaiting = 0
        }
    }

    private let state = Mutex(State())

    /// Runs an operation when it is the caller's turn.
    func run<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await take()
        defer { pass() }
        return try await body()
    }

    private func take() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func pass() {
        let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.firstWaiting < state.waiting.count else {
                state = State()
                return nil
            }
            defer { state.advance() }
            return state.waiting[state.firstWaiting]
        }
        next?.resume()
    }
}
