public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Opens a recorded WebSocket again, and sends what its client sent.
public struct ConversationReplay: Sendable {
    private let session: Session
    private let exchange: Exchange
    private let plan: ConversationPlan

    /// The session decides whether the replay is recorded.
    public init(
        _ session: Session, of exchange: Exchange, plan: ConversationPlan = ConversationPlan()
    ) {
        self.session = session
        self.exchange = exchange
        self.plan = plan
    }

    /// The WebSocket before it is opened. Its opening request is the recorded one with a new key;
    /// no redirects are followed, no fields are added, and adapters are not called.
    public func socket() -> WebSocketRequest {
        let (exchange, plan) = (exchange, plan)
        var configuration = WebSocketRequest.Configuration(maximumMessageSize: 64 << 20)
        configuration.offersCompression = false
        configuration.closeTimeout = plan.answerTimeout
        configuration.clock = plan.clock
        let conversation = WebSocketConversation(configuration)
        return session.replay(
            consumer: conversation, as: { WebSocketRequest($0, conversation) },
            build: { try ReplayedOpening.request(of: exchange, plan) }
        ).redirect(using: Redirector.doNotFollow)
    }

    /// Like `socket()`, but checks first that the exchange can be replayed.
    /// - Throws: `.replayRefused`, `.invalidURL`, `.invalidRequest`.
    public func checkedSocket() throws(ClientError) -> WebSocketRequest {
        _ = try ReplayedOpening.request(of: exchange, plan)
        return socket()
    }

    /// Called with each message as it passes. The two directions may call concurrently. A slow
    /// listener slows the replay down.
    public typealias Listener =
        @Sendable (MessageRecord.Direction, WebSocketRequest.Message) async -> Void

    /// Sends the original client's messages, closes as it did, or normally, and waits for the end.
    /// Cancelled with its task.
    /// - Throws: `.replayRefused` before anything is sent; errors of the source.
    public func run(
        _ messages: some ConversationSource, onMessage: @escaping Listener = { _, _ in }
    ) async throws -> ConversationResult {
        // Whatever cannot be replayed is detected before anything is sent.
        _ = try ReplayedOpening.request(of: exchange, plan)
        var survey = ConversationScript(sendsTruncated: plan.sendsTruncatedMessages)
        try await messages.forEach { message in
            _ = try survey.take(message)
            return true
        }
        let socket = socket()
        let answers = AnswerCount()
        let ending = Task { [plan] in
            guard let duration = plan.duration,
                (try? await plan.clock.sleep(for: duration)) != nil
            else { return }
            answers.end()
            try? await socket.close()
        }
        defer { ending.cancel() }
        let receiving = receive(over: socket, answers, onMessage)
        let sentCount: Int
        do {
            sentCount = try await withTaskCancellationHandler {
                try await send(messages, survey, over: socket, answers, onMessage)
            } onCancel: {
                socket.cancel()
            }
        } catch {
            socket.cancel()
            _ = await receiving.value
            throw error
        }
        let completion = await receiving.value
        return result(of: socket, completion, survey, sentCount, answers.count)
    }

    /// Counts the server's messages until the end.
    private func receive(
        over socket: WebSocketRequest, _ answers: AnswerCount, _ onMessage: @escaping Listener
    ) -> Task<WebSocketRequest.Completion?, Never> {
        let events = socket.events()
        return Task {
            var completion: WebSocketRequest.Completion?
            for await event in events {
                completion = event.completion ?? completion
                guard let message = event.message else { continue }
                await onMessage(.toClient, message)
                answers.add()
            }
            answers.end()
            return completion
        }
    }

    /// Sends the client's messages and closes as the client did; returns how many were sent.
    private func send(
        _ messages: some ConversationSource, _ survey: ConversationScript,
        over socket: WebSocketRequest, _ answers: AnswerCount, _ onMessage: Listener
    ) async throws -> Int {
        guard (try? await socket.opened()) != nil else { return 0 }
        var pace = ConversationPace(plan, exchange, answers)
        var script = ConversationScript(sendsTruncated: plan.sendsTruncatedMessages)
        var count = 0
        try await messages.forEach { record in
            guard let line = try script.take(record) else { return true }
            await pace.wait(for: line)
            guard !answers.isOver, (try? await socket.send(line.message)) != nil else {
                return false
            }
            count += 1
            await onMessage(.toServer, line.message)
            return true
        }
        await pace.wait(forAnswers: survey.outcome.receivedCount)
        // If the server closed the original, it should close the replay too.
        if survey.closing == nil, survey.outcome.closeCode != nil { await pace.waitForEnd() }
        try? await socket.close(survey.closing ?? WebSocketClosing(code: 1_000))
        return count
    }

    private func result(
        of socket: WebSocketRequest, _ completion: WebSocketRequest.Completion?,
        _ script: ConversationScript, _ sentCount: Int, _ receivedCount: Int
    ) -> ConversationResult {
        var outcome = ConversationResult.Outcome()
        outcome.sentCount = sentCount
        outcome.receivedCount = receivedCount
        outcome.closeCode = socket.closeCode.map { Int($0.rawValue) }
        return ConversationResult(
            originalID: exchange.id, id: socket.core.read { $0.attempts.last?.report.exchangeID },
            status: completion?.response?.status, original: script.outcome, replay: outcome,
            error: completion?.error.flatMap { error in
                // A server that closes the replay as it closed the original does what is wanted.
                let isSame = outcome.closeCode == script.outcome.closeCode
                if case .webSocketFailed(.closed) = error.kind, isSame { return nil }
                return error
            })
    }
}

/// How to replay a recorded WebSocket.
public struct ConversationPlan: Sendable {
    public enum Pacing: String, Sendable, Hashable, CaseIterable {
        /// Once as many messages have arrived from the server as preceded it in the recording.
        case answers
        /// At its recorded time after the opening, whatever the server sends.
        case recorded
    }

    public var pacing = Pacing.answers
    /// How long to wait for a server that sends fewer messages than in the recording, before the
    /// rest is sent anyway. Applied only once.
    public var answerTimeout: Duration = .seconds(10)
    /// The longest duration, after which the WebSocket is closed; nil for no limit.
    public var duration: Duration?
    public var version = ReplayVersion.recorded
    /// Changes to the opening request.
    public var edits: [ReplayEdit] = []
    /// Whether messages of which only the beginning was kept are sent in that form; otherwise the
    /// replay is refused.
    public var sendsTruncatedMessages = false
    /// Tests supply their own.
    public var clock: any Clock<Duration> = ContinuousClock()

    public init() {}
}

/// Supplies the messages of a recorded WebSocket in batches, so that a million of them need little
/// memory. They are read twice: first to check that all can be sent.
public protocol ConversationSource: Sendable {
    /// The next messages after `position`, in order, or the first ones if it is nil; empty after
    /// the last.
    func messages(after position: Int64?) async throws -> [MessageRecord]
}

public struct ConversationList: ConversationSource {
    private let all: [MessageRecord]

    public init(_ messages: [MessageRecord]) { all = messages }

    public func messages(after position: Int64?) -> [MessageRecord] {
        position == nil ? all : []
    }
}

extension ConversationSource {
    /// Calls `body` with each message until it returns false.
    func forEach(_ body: (MessageRecord) async throws -> Bool) async throws {
        var position: Int64?
        while case let page = try await messages(after: position), let last = page.last {
            for message in page where try await !body(message) { return }
            position = last.position
        }
    }
}

/// The result of replaying a WebSocket, next to that of the original.
public struct ConversationResult: Sendable {
    /// The numbers of data messages in each direction, and the close code.
    public struct Outcome: Sendable, Hashable {
        public var sentCount = 0
        public var receivedCount = 0
        /// The server's close code, or nil if it sent none.
        public var closeCode: Int?

        public init() {}
    }

    public let originalID: ExchangeID
    /// The number of the new exchange, or nil if nothing was sent or the session does not record.
    public let id: ExchangeID?
    /// The status of the opening response, or nil if none arrived.
    public let status: Int?
    public let original: Outcome
    public let replay: Outcome
    /// Why the replay failed, or nil if the WebSocket was closed normally or by the server with the
    /// original's code.
    public let error: ClientError?

    /// Whether the message counts differ from the original's, or the replay failed. Contents are
    /// not compared.
    public var isMismatch: Bool {
        error != nil || replay.sentCount != original.sentCount
            || replay.receivedCount != original.receivedCount
    }
}

/// Builds the request that opens a recorded WebSocket again.
enum ReplayedOpening {
    /// Fields that belong to the recorded opening, or are set again.
    private static let madeAnew: Set<String> = [
        "sec-websocket-key", "upgrade", "connection", "proxy-connection", "keep-alive",
        "proxy-authorization", "content-length", "transfer-encoding", "te", "http2-settings",
    ]

    /// - Throws: `.replayRefused`, `.invalidURL`, `.invalidRequest`.
    static func request(
        of exchange: Exchange, _ plan: ConversationPlan
    ) throws(ClientError) -> HTTPRequest {
        guard exchange.upgradedTo == "websocket" else {
            throw ClientError(
                .replayRefused(exchange.upgradedTo.map { .upgraded(to: $0) } ?? .noConversation))
        }
        guard let head = exchange.request.head, let url = exchange.request.url else {
            throw ClientError(.replayRefused(.malformed))
        }
        var request = HTTPRequest(method: .get, url: url)
        for line in head.fields.lines {
            let name = head.fields.name(of: line)
            guard !name.hasPrefix(":"), !madeAnew.contains(name.lowercased()) else { continue }
            // Host is set again unless the client named another server's.
            if line.name == .host, !exchange.request.keepsForeignHost { continue }
            let value =
                name.lowercased() == "sec-websocket-extensions"
                ? knownExtensions(head.fields.value(of: line)) : head.fields.value(of: line)
            guard !value.isEmpty else { continue }
            request.fields.append(
                name: Array(head.fields.bytes[line.nameRange]),
                value: value == head.fields.value(of: line)
                    ? Array(head.fields.bytes[line.valueRange]) : Array(value.utf8))
        }
        request.replayOf = exchange.id.isOwnNumber ? exchange.id : nil
        request.protocols = plan.version.protocols(for: exchange)
        return try edited(request, plan.edits)
    }

    /// The offered extensions that this library implements: it must understand the one that the
    /// server chooses.
    private static func knownExtensions(_ value: String) -> String {
        var fields = HeaderFields()
        fields.append(name: "Sec-WebSocket-Extensions", value: value)
        return (WebSocketExtension.list(in: fields) ?? []).compactMap(PermessageDeflateOffer.init)
            .map(\.value).joined(separator: ", ")
    }

    private static func edited(
        _ request: HTTPRequest, _ edits: [ReplayEdit]
    ) throws(ClientError) -> HTTPRequest {
        guard !edits.isEmpty else { return request }
        var editor = RequestEditor(request)
        try editor.apply(edits)
        var edited = editor.request
        if edited.method != .get { throw ClientError(.invalidRequest(.badMethod)) }
        edited.protocols = request.protocols
        return edited
    }
}
