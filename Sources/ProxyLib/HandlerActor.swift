internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine

/// Lets a handler act on the engine's traffic.
final class HandlerActor: TrafficActor {
    /// The memory for bodies that handlers read, in bytes, shared by all exchanges.
    private static let bodyByteCountMax = 256 << 20

    private let handler: any TrafficHandler
    private let budget = ByteBudget(byteCountMax: HandlerActor.bodyByteCountMax)

    init(_ handler: any TrafficHandler) { self.handler = handler }

    func mayAct(onHost host: String) -> Bool { handler.handles(host: host) }

    func actor(
        for exchange: ExchangeContext, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? {
        HandledExchange(handler, budget, exchange.id, clientAddress: exchange.peer.ip)
    }
}

/// Asks a handler about one exchange: about each message once, and again if it wants the body.
private final class HandledExchange: ExchangeActor {
    private let handler: any TrafficHandler
    private let budget: ByteBudget
    private let id: ExchangeID
    private let clientAddress: String
    private var request: ProxiedRequest?
    private var question: Task<Void, Never>?

    init(
        _ handler: any TrafficHandler, _ budget: ByteBudget, _ id: ExchangeID, clientAddress: String
    ) {
        self.handler = handler
        self.budget = budget
        self.id = id
        self.clientAddress = clientAddress
    }

    func exchangeEnded() { question?.cancel() }

    // MARK: ExchangeActor

    func request(
        _ request: ForwardedRequest, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        let asked = ProxiedRequest(
            id: id, clientAddress: clientAddress, method: request.head.method, url: request.url,
            fields: request.head.fields, body: ProxiedBody(body))
        ask(asked, decision) { [handler] in
            await handler.request(&$0)
        } pass: { [self] changed, byteCountMax in
            self.request = changed
            let plan = plan(for: changed.body, after: body, byteCountMax)
            return request.changed(to: changed).map { .pass($0, plan) }
        }
    }

    func response(
        _ response: ForwardedResponse, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedResponse>>
    ) {
        guard let request else { return decision.make(.pass(response)) }
        let asked = ProxiedResponse(
            status: response.head.status, fields: response.head.fields, body: ProxiedBody(body))
        ask(asked, decision) { [handler] in
            await handler.response(&$0, to: request)
        } pass: { [self] changed, byteCountMax in
            let plan = plan(for: changed.body, after: body, byteCountMax)
            return response.changed(to: changed).map { .pass($0, plan) }
        }
    }

    private func plan(
        for changed: ProxiedBody, after asked: BodySnapshot, _ byteCountMax: Int?
    ) -> BodyPlan {
        guard case .coming = asked else { return changed.bytes.map(BodyPlan.replaced) ?? .stream }
        return byteCountMax.map { .whole(byteCountMax: $0, budget: budget) } ?? .stream
    }

    // MARK: Questions

    /// Asks the handler in a task, and does on the loop what it has decided.
    /// - Parameter pass: Returns nil if the changed message cannot be sent.
    private func ask<Message: Sendable, Verdict: EndingVerdict>(
        _ message: Message, _ decision: Decision<Verdict>,
        _ question: @escaping @Sendable (inout Message) async -> TrafficVerdict,
        pass: @escaping (Message, _ byteCountMax: Int?) -> Verdict?
    ) {
        let loop = decision.loop
        let answered = { (message: Message, verdict: TrafficVerdict) in
            let made: Verdict? =
                switch verdict {
                case .pass: pass(message, nil)
                case .readBody(let byteCountMax): pass(message, max(0, byteCountMax))
                case .answer(let response): response.answer.map(Verdict.answer)
                case .close: .end(.close, because: .endedByActor)
                }
            decision.make(made ?? .end(.close, because: .invalidChange))
        }
        let bound = LoopBound(answered, loop: loop)
        self.question = Task {
            var message = message
            let verdict = await question(&message)
            loop.execute { [message] in bound.value(message, verdict) }
        }
    }
}

extension ProxiedBody {
    fileprivate init(_ body: BodySnapshot) {
        switch body {
        case .coming: self = .unread
        case .whole(let bytes): self = .whole(bytes)
        case .tooLarge: self = .tooLarge
        }
    }
}

extension ForwardedRequest {
    /// The request with a handler's changes; nil if it cannot be sent then.
    fileprivate func changed(to new: ProxiedRequest) -> ForwardedRequest? {
        var message = self
        if new.url != url {
            guard FieldValidator.isRequestTarget(Array("\(new.url)".utf8).span) else { return nil }
            message.url = new.url
            message.options.regeneratesHost = true
        }
        guard new.method != head.method || new.url != url || new.fields != head.fields else {
            return message
        }
        guard FieldValidator.isToken(Array(new.method.rawValue.utf8).span), new.fields.isSendable
        else { return nil }
        message.head = head.changed(
            method: new.method, authority: new.url == url ? nil : new.url.authority,
            fields: new.fields)
        return message
    }
}

extension ForwardedResponse {
    /// The response with a handler's changes; nil if it cannot be sent then.
    fileprivate func changed(to new: ProxiedResponse) -> ForwardedResponse? {
        guard new.status != head.status || new.fields != head.fields else { return self }
        guard new.status == head.status || 200...599 ~= new.status, new.fields.isSendable else {
            return nil
        }
        var message = self
        message.head = head.changed(
            status: new.status,
            reason: new.status == head.status ? nil : StatusReason.text(of: new.status),
            fields: new.fields)
        return message
    }
}

extension ProxiedResponse {
    /// The response as an answer; nil if it cannot be sent.
    fileprivate var answer: ExchangeAnswer? {
        guard 200...599 ~= status, fields.isSendable else { return nil }
        let head = ResponseHead(
            status: status, reason: StatusReason.text(of: status), fields: fields)
        return ExchangeAnswer(head: head, body: body.bytes ?? [])
    }
}

extension HeaderFields {
    /// Whether names and values are valid, so that no line of them can become two.
    fileprivate var isSendable: Bool {
        lines.allSatisfy { line in
            FieldValidator.isToken(bytes.span.extracting(line.nameRange))
                && FieldValidator.isFieldValue(bytes.span.extracting(line.valueRange))
        }
    }
}

extension ExchangeFailure {
    fileprivate static let invalidChange = ExchangeFailure(
        origin: .proxy, kind: .refused, message: "the handler made a message that is not valid")
}
