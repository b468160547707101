internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Replays one WebSocket for a command, which waits for it.
struct ConversationRun {
    let exchange: Exchange
    let reader: any ExchangeReading
    let session: Session
    let plan: ConversationPlan
    let asJSON: Bool
    /// Whether a replay that differs from its original has failed.
    let stopsOnMismatch: Bool

    /// Sends the recorded messages, and reports how the replay compares; returns whether it failed.
    func repeatMessages(_ isInterrupted: () -> Bool) throws -> Bool {
        let replay = ConversationReplay(session, of: exchange, plan: plan)
        let messages = StoredConversation(exchange, reader)
        let result = try TaskWait.result(of: { try await replay.run(messages) }, isInterrupted)
            .get()
        if isInterrupted() { throw CommandFailure("interrupted") }
        let name = (try? reader.name(of: exchange.id)) ?? exchange.id.description
        ConversationReport(asJSON: asJSON, name: name, .current).print(result, of: exchange)
        return result.error != nil || (stopsOnMismatch && result.isMismatch)
    }

    /// Sends typed lines and prints received messages; returns whether it failed.
    func talk(_ isInterrupted: () -> Bool) throws -> Bool {
        let environment = Environment.current
        let listener = ConversationPrinter(
            asJSON: asJSON, exchange: exchange, environment)
        let lines = TypedLines(environment)
        let replay = ConversationReplay(session, of: exchange, plan: plan)
        let limit = plan.duration
        let body: @Sendable () async throws -> WebSocketRequest.Completion? = {
            let socket = try replay.checkedSocket()
            let closesAtEnd = limit == nil
            let typing = Task {
                await ConversationRun.send(lines, over: socket)
                // If there is a duration, the connection stays open for it: answers may still
                // arrive.
                if closesAtEnd { try? await socket.close() }
            }
            let ending = limit.map { limit in
                Task {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    try? await socket.close()
                }
            }
            defer {
                typing.cancel()
                ending?.cancel()
            }
            return await listener.listen(to: socket)
        }
        let completion = try TaskWait.result(of: body, isInterrupted).get()
        if isInterrupted() { throw CommandFailure("interrupted") }
        guard let error = completion?.error else { return false }
        Report.warn(error.messageWithRemedy)
        return true
    }

    /// Sends each line that is valid text.
    private static func send(_ lines: TypedLines, over socket: WebSocketRequest) async {
        guard (try? await socket.opened()) != nil else { return }
        while let line = await lines.next() {
            guard let text = String(validating: line, as: UTF8.self) else {
                Report.warn("a line was not sent because it is not UTF-8")
                continue
            }
            guard (try? await socket.send(text)) != nil else { return }
        }
    }
}
