public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Opens a recorded WebSocket again, and sends what its client sent.
public struct ConversationReplay: Sendable {
    private let session: Session
    private let exchange: Exchange
    private let plan: ConversationPlan

    /// A replay over a session's connections; the session decides whether it is recorded.
    public init(
        _ session: Session, of exchange: Exchange, plan: ConversationPlan = ConversationPlan()
    ) {
        self.session = session
        self.exchange = exchange
        self.plan = plan
    }

    /// The WebSocket, not open yet: its opening is the recorded one with a new key. Redirects are
    /// not followed and nothing is added; adapters are not asked.
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

    /// The same, where the exchange is one that can be repeated.
    /// - Throws: `.replayRefused`, `.invalidURL`, `.invalidRequest`.
    public func checkedSocket() throws(ClientError) -> WebSocketRequest {
        _ = try ReplayedOpening.request(of: exchange, plan)
        return socket()
    }

    /// Called with each message that passes, as it passes; the two directions may call at the same
    /// time. Who is slow slows the replay down.
    public typealias Listener =
        @Sendable (MessageRecord.Direction, WebSocketRequest.Message) async -> Void

    /// Sends the messages of the original, closes as its client did, or normally, and waits for the
    /// end. Cancelled with its task.
    /// - Throws: `.replayRefused`, before anything is sent; what the source throws.
    public func run(
        _ messages: some ConversationSource, onMessage: @escaping Listener = { _, _ in }
    ) async throws -> ConversationResult {
        // What cannot be repeated is found out before anything is sent.
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

    /// Counts what the server says, until its end.
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

    /// Says what the client said, and closes as it did; how many messages were sent.
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
        // Who closed it is to close it again.
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
                // A server that closes it as it did before does what is wanted.
                let isSame = outcome.closeCode == script.outcome.closeCode
                if case .webSocketFailed(.closed) = error.kind, isSame { return nil }
                return error
            })
    }
}

/// How a recorded WebSocket is sent again.
public struct ConversationPlan: Sendable {
    /// When each message is sent.
    public enum Pacing: String, Sendable, Hashable, CaseIterable {
        /// As soon as as many messages came from the server as stood before it in the recording.
        case answers
        /// As long after the opening as it was in the recording, whatever the server says.
        case recorded
    }

    /// When each message is sent.
    public var pacing = Pacing.answers
    /// How long the server is waited for that sends fewer messages than it did; then what follows
    /// is sent all the same. It is waited for once.
    public var answerTimeout: Duration = .seconds(10)
    /// How long it lasts at most; then it is closed. Nil for as long as it takes.
    public var duration: Duration?
    /// Which version of HTTP opens it.
    public var version = ReplayVersion.recorded
    /// What is changed in the request that opens it.
    public var edits: [ReplayEdit] = []
    /// Whether a message of which only the beginning was kept is sent with that; else the replay is
    /// refused.
    public var sendsTruncatedMessages = false
    /// What is waited with; tests bring their own.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Each message when its answers came.
    public init() {}
}

/// Where the messages of a recorded WebSocket come from, some at a time: a million of them need no
/// memory. They are asked for twice: once to see whether all can be sent.
public protocol ConversationSource: Sendable {
    /// Messages behind the one with a number, in their order; nil for the first ones. Empty behind
    /// the last.
    func messages(after position: Int64?) async throws -> [MessageRecord]
}

/// Messages in memory.
public struct ConversationList: ConversationSource {
    private let all: [MessageRecord]

    /// These messages, in order.
    public init(_ messages: [MessageRecord]) { all = messages }

    /// Those behind one.
    public func messages(after position: Int64?) -> [MessageRecord] {
        position == nil ? all : []
    }
}

extension ConversationSource {
    /// Calls `body` with each message until it says false.
    func forEach(_ body: (MessageRecord) async throws -> Bool) async throws {
        var position: Int64?
        while case let page = try await messages(after: position), let last = page.last {
            for message in page where try await !body(message) { return }
            position = last.position
        }
    }
}

/// What came of a WebSocket that was sent again, beside what came of the original.
public struct ConversationResult: Sendable {
    /// Messages that carry data, each way, and how it was closed.
    public struct Outcome: Sendable, Hashable {
        /// Messages that were sent.
        public var sentCount = 0
        /// Messages that came.
        public var receivedCount = 0
        /// The code that the server closed it with; nil where it did not.
        public var closeCode: Int?

        /// Nothing yet.
        public init() {}
    }

    /// The exchange that was repeated.
    public let originalID: ExchangeID
    /// The number of the new exchange; nil where nothing was sent or the session records nothing.
    public let id: ExchangeID?
    /// The status of the opening; nil where no response came.
    public let status: Int?
    /// What came of the original.
    public let original: Outcome
    /// What came of the replay.
    public let replay: Outcome
    /// Why it failed; nil where it was closed normally, or by the server with the code of before.
    public let error: ClientError?

    /// Whether the replay went otherwise than the original: other counts, or a failure. What the
    /// messages say is not compared.
    public var isMismatch: Bool {
        error != nil || replay.sentCount != original.sentCount
            || replay.receivedCount != original.receivedCount
    }
}

/// The request that opens a recorded WebSocket again.
enum ReplayedOpening {
    /// What belongs to the opening it was recorded with, or is said anew.
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
                .replayRefused(
                    exchange.upgradedTo.map { .upgraded(to: $0) } ?? .noConversation))
        }
        guard let head = exchange.request.head, let url = exchange.request.url else {
            throw ClientError(.replayRefused(.malformed))
        }
        var request = HTTPRequest(method: .get, url: url)
        for line in head.fields.lines {
            let name = head.fields.name(of: line)
            guard !name.hasPrefix(":"), !madeAnew.contains(name.lowercased()) else { continue }
            // Host is said anew, where the client did not name another server's.
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

    /// Of what the client offered that which this library can do: an extension that the server
    /// chooses must be understood.
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
