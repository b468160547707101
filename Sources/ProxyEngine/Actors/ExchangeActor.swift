internal import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTransport

/// Acts on one exchange, in phases; confined to its loop. Each phase is held until it decides.
///
/// ```
/// request head → (whole request body) → upstream chosen → request body
///              → response head → (whole response body) → response body
/// ```
/// The phases in parentheses come where a plan asked for the whole body.
public protocol ExchangeActor: AnyObject {
    /// The request's head is complete; its body may be coming.
    func requestHead(
        _ request: ForwardedRequest, _ decision: Decision<HeadVerdict<ForwardedRequest>>)
    /// The whole body of the request is there, after transfer-coding; nil where it is larger than
    /// was asked for: it then goes on as it came.
    func requestBody(
        _ body: [UInt8]?, of request: ForwardedRequest,
        _ decision: Decision<BodyVerdict<ForwardedRequest>>)
    /// The server is known, and no connection is made yet.
    func upstreamChosen(_ target: ConnectTarget, _ decision: Decision<UpstreamVerdict>)
    /// The final response's head is there. Interim responses have gone on before.
    func responseHead(
        _ response: ForwardedResponse, _ decision: Decision<HeadVerdict<ForwardedResponse>>)
    /// The whole body of the response is there, after transfer-coding; nil where it is larger than
    /// was asked for: it then goes on as it came.
    func responseBody(
        _ body: [UInt8]?, of response: ForwardedResponse,
        _ decision: Decision<BodyVerdict<ForwardedResponse>>)
    /// At what pace bodies go that are not sent whole, and what follows a switch of protocols; nil
    /// for as they come.
    var pace: (any PaceActor)? { get }
    /// The exchange is over. What was to be decided is not wanted any more; what became of it can
    /// be noted, now and not later.
    func exchangeEnded()
}

extension ExchangeActor {
    /// Passes.
    public func requestHead(
        _ request: ForwardedRequest, _ decision: Decision<HeadVerdict<ForwardedRequest>>
    ) {
        decision.make(.pass(request, .stream))
    }

    /// Passes.
    public func requestBody(
        _ body: [UInt8]?, of request: ForwardedRequest,
        _ decision: Decision<BodyVerdict<ForwardedRequest>>
    ) {
        decision.make(.pass(request))
    }

    /// Passes.
    public func upstreamChosen(_ target: ConnectTarget, _ decision: Decision<UpstreamVerdict>) {
        decision.make(.pass(target))
    }

    /// Passes.
    public func responseHead(
        _ response: ForwardedResponse, _ decision: Decision<HeadVerdict<ForwardedResponse>>
    ) {
        decision.make(.pass(response, .stream))
    }

    /// Passes.
    public func responseBody(
        _ body: [UInt8]?, of response: ForwardedResponse,
        _ decision: Decision<BodyVerdict<ForwardedResponse>>
    ) {
        decision.make(.pass(response))
    }

    /// As they come.
    public var pace: (any PaceActor)? { nil }

    /// Nothing to let go of.
    public func exchangeEnded() {}
}

/// What becomes of a message when its head is known.
public enum HeadVerdict<Message> {
    /// It goes on, as it came or changed.
    case pass(Message, BodyPlan)
    /// The client is answered instead.
    case answer(ExchangeAnswer)
    /// The client's connection ends without an answer; why, as it is recorded.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// What becomes of a message when its whole body is known.
public enum BodyVerdict<Message> {
    /// It goes on, as it came or changed; with another body where one is given.
    case pass(Message, body: [UInt8]? = nil)
    /// The client is answered instead.
    case answer(ExchangeAnswer)
    /// The client's connection ends without an answer; why, as it is recorded.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// What becomes of a request when its server is known.
public enum UpstreamVerdict {
    /// It goes to a server, this or another one.
    case pass(ConnectTarget)
    /// The client is answered instead.
    case answer(ExchangeAnswer)
    /// The client's connection ends without an answer; why, as it is recorded.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// How a body goes on.
public enum BodyPlan {
    /// As it comes.
    case stream
    /// As it comes, changed on its way; of a response only, whose length is then not known before
    /// its end.
    case edited(any FlowingBodyEditor)
    /// When all of it is there and was decided about; as it comes where it has more bytes, or where
    /// the budget has no room for it.
    case whole(byteCountMax: Int, budget: ByteBudget? = nil)
}
