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
