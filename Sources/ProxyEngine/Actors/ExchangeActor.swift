internal import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTransport

/// Acts on one exchange, in phases; confined to its loop. Each phase waits for the actor's
/// decision.
///
/// ```
/// request head → (whole request body) → upstream chosen → request body
///              → response head → (whole response body) → response body
/// ```
/// The phases in parentheses occur only if a plan asked for the whole body.
public protocol ExchangeActor: AnyObject {
    /// The request's head is complete; its body may still be arriving.
    func requestHead(
        _ request: ForwardedRequest, _ decision: Decision<HeadVerdict<ForwardedRequest>>)
    /// The whole body of the request, with transfer coding removed; nil if it is larger than was
    /// asked for, in which case it is forwarded as it came.
    func requestBody(
        _ body: [UInt8]?, of request: ForwardedRequest,
        _ decision: Decision<BodyVerdict<ForwardedRequest>>)
    /// The server is known, but no connection has been made yet.
    func upstreamChosen(_ target: ConnectTarget, _ decision: Decision<UpstreamVerdict>)
    /// The head of the final response has arrived. Interim responses have been forwarded before.
    func responseHead(
        _ response: ForwardedResponse, _ decision: Decision<HeadVerdict<ForwardedResponse>>)
    /// The whole body of the response, with transfer coding removed; nil if it is larger than was
    /// asked for, in which case it is forwarded as it came.
    func responseBody(
        _ body: [UInt8]?, of response: ForwardedResponse,
        _ decision: Decision<BodyVerdict<ForwardedResponse>>)
    /// Paces bodies that are not sent whole, and the bytes that follow a switch of protocols; nil
    /// to forward them as they come.
    var pace: (any PaceActor)? { get }
    /// The exchange is over. Open decisions are no longer wanted; the outcome can be noted during
    /// this call, but not later.
    func exchangeEnded()
}

extension ExchangeActor {
    /// Passes the request on and streams its body.
    public func requestHead(
        _ request: ForwardedRequest, _ decision: Decision<HeadVerdict<ForwardedRequest>>
    ) {
        decision.make(.pass(request, .stream))
    }

    /// Passes the request on with its own body.
    public func requestBody(
        _ body: [UInt8]?, of request: ForwardedRequest,
        _ decision: Decision<BodyVerdict<ForwardedRequest>>
    ) {
        decision.make(.pass(request))
    }

    /// Passes the target on unchanged.
    public func upstreamChosen(_ target: ConnectTarget, _ decision: Decision<UpstreamVerdict>) {
        decision.make(.pass(target))
    }

    /// Passes the response on and streams its body.
    public func responseHead(
        _ response: ForwardedResponse, _ decision: Decision<HeadVerdict<ForwardedResponse>>
    ) {
        decision.make(.pass(response, .stream))
    }

    /// Passes the response on with its own body.
    public func responseBody(
        _ body: [UInt8]?, of response: ForwardedResponse,
        _ decision: Decision<BodyVerdict<ForwardedResponse>>
    ) {
        decision.make(.pass(response))
    }

    /// No pace: bytes are forwarded as they come.
    public var pace: (any PaceActor)? { nil }

    /// Does nothing.
    public func exchangeEnded() {}
}

/// What to do with a message once its head is known.
public enum HeadVerdict<Message> {
    /// Forwards the message, as it came or changed.
    case pass(Message, BodyPlan)
    /// Sends this answer to the client instead.
    case answer(ExchangeAnswer)
    /// Ends the client's connection without an answer; the failure is recorded as the reason.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// What to do with a message once its whole body is known.
public enum BodyVerdict<Message> {
    /// Forwards the message, as it came or changed; with another body if one is given.
    case pass(Message, body: [UInt8]? = nil)
    /// Sends this answer to the client instead.
    case answer(ExchangeAnswer)
    /// Ends the client's connection without an answer; the failure is recorded as the reason.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// What to do with a request once its server is known.
public enum UpstreamVerdict {
    /// Sends the request to a server, the given or another one.
    case pass(ConnectTarget)
    /// Sends this answer to the client instead.
    case answer(ExchangeAnswer)
    /// Ends the client's connection without an answer; the failure is recorded as the reason.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// How a body is forwarded.
public enum BodyPlan {
    /// As it comes.
    case stream
    /// As it comes, changed on the way. Only for responses; the length is then unknown until the
    /// body ends.
    case edited(any FlowingBodyEditor)
    /// Once all of it has arrived and a decision was made; as it comes if it has more bytes than
    /// this, or if the budget has no room for it.
    case whole(byteCountMax: Int, budget: ByteBudget? = nil)
}
