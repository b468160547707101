internal import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
internal import Synchronization

/// Acts on one exchange, in phases, each of which waits for a decision. Confined to its loop.
///
/// ```
/// request (body coming) → request (whole) → response (body coming) → response (whole)
/// ```
/// A whole body is asked about only if the plan for its head was `.whole`.
public protocol ExchangeActor: AnyObject {
    /// The request's head is complete, and its body may still be arriving (`.coming`), or what was
    /// asked for of its body has arrived.
    func request(
        _ request: ForwardedRequest, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedRequest>>)
    /// The head of the final response has arrived, or what was asked for of its body. Interim
    /// responses have been forwarded before.
    func response(
        _ response: ForwardedResponse, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedResponse>>)
    /// Paces bodies, also those of answers, and the bytes that follow a switch of protocols; nil to
    /// forward them as they come.
    var pace: (any PaceActor)? { get }
    /// The exchange is over. Open decisions are no longer wanted; the outcome can be noted during
    /// this call, but not later.
    func exchangeEnded()
}

extension ExchangeActor {
    /// Passes the request on as it came.
    public func request(
        _ request: ForwardedRequest, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        decision.make(.pass(request))
    }

    /// Passes the response on as it came.
    public func response(
        _ response: ForwardedResponse, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedResponse>>
    ) {
        decision.make(.pass(response))
    }

    /// No pace: bytes are forwarded as they come.
    public var pace: (any PaceActor)? { nil }

    public func exchangeEnded() {}
}

/// What is known of a message's body when an actor is asked.
public enum BodySnapshot {
    /// It may still be arriving.
    case coming
    /// All of it, with transfer coding removed.
    case whole([UInt8])
    /// It has more bytes than asked for, or than the budget has room for: forwarded as it came.
    case tooLarge
}

/// What to do with a message.
public enum MessageVerdict<Message> {
    /// Forwards the message, as it came or changed.
    case pass(Message, BodyPlan = .stream)
    /// Sends this answer to the client instead.
    case answer(ExchangeAnswer)
    /// Ends the client's connection without an answer; the failure is recorded as the reason.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// How a body is forwarded.
public enum BodyPlan {
    /// As it comes.
    case stream
    /// As it comes, changed on the way. Only for responses, whose length is then unknown.
    case edited(any StreamingBodyEditor)
    /// Once all of it has arrived and the actor was asked again. The actor is also asked again if
    /// it has more bytes than this, or if the budget has no room for it: then it is forwarded as it
    /// comes, as it is after a second answer of this kind.
    case whole(byteCountMax: Int, budget: ByteBudget? = nil)
    /// This body instead of the one that the actor was asked about. Ignored if it was not whole.
    case replaced([UInt8])
}

/// Changes a body while it streams, one piece at a time. Confined to its loop.
public protocol StreamingBodyEditor: AnyObject {
    /// Takes a piece of the body, with transfer coding removed. The next one follows after `done`.
    /// - Parameter done: Takes the output for this piece and for what was kept back before; called
    ///   on the loop, immediately or later.
    func receive(_ piece: [UInt8], _ done: @escaping ([UInt8]) -> Void)
    /// The body has ended.
    /// - Parameter done: Takes what was kept back; called on the loop, immediately or later.
    func finish(_ done: @escaping ([UInt8]) -> Void)
    /// Called once at the end of the edit, even without the whole body; returns what to record.
    func end() -> [ExchangeEvent]
}

/// Lets bytes through at its own pace. Confined to its loop.
public protocol PaceActor: AnyObject {
    /// Bytes are waiting: `decision` says how many of them go on. Asked again for the rest.
    func pass(_ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>)
    /// More bytes arrived before the decision; `byteCount` is the new total of waiting bytes.
    func grew(to byteCount: Int, _ direction: PaceDirection)
    /// The number of bytes that may wait before reading from their source pauses.
    func byteCountAheadMax(_ direction: PaceDirection) -> Int
}

extension PaceActor {
    /// Does nothing: the new total is passed with the next question.
    public func grew(to byteCount: Int, _ direction: PaceDirection) {}

    /// The number of bytes that may wait for a slow receiver.
    public func byteCountAheadMax(_ direction: PaceDirection) -> Int {
        StreamWatermarks.lowByteCount
    }
}

/// The direction in which bytes travel.
public enum PaceDirection: Sendable {
    case upstream
    case downstream
}

/// What to do with waiting bytes.
public enum PaceVerdict {
    /// Lets this many of them through, at least one.
    case go(byteCount: Int)
    /// Lets no more bytes through and ends the client's connection, for the recorded reason.
    case end(ExchangeEnd, because: ExchangeFailure)
}

/// The number of body bytes that may be kept in memory at a time, shared by all exchanges.
public final class ByteBudget: Sendable {
    private let rest: Atomic<Int>

    public init(byteCountMax: Int) { rest = Atomic(byteCountMax) }

    /// Reserves bytes; returns false and reserves nothing if fewer are left.
    func take(_ byteCount: Int) -> Bool {
        let left = rest.subtract(byteCount, ordering: .relaxed).newValue
        if left >= 0 { return true }
        give(byteCount)
        return false
    }

    /// Returns reserved bytes to the budget.
    func give(_ byteCount: Int) { rest.add(byteCount, ordering: .relaxed) }

    /// Reserves bytes until the result is released; nil if fewer are left.
    package func share(_ byteCount: Int) -> ByteShare? {
        take(byteCount) ? ByteShare(budget: self, byteCount: byteCount) : nil
    }
}

/// A part of a budget, returned when it is released.
package final class ByteShare: Sendable {
    private let budget: ByteBudget
    private let byteCount: Int

    fileprivate init(budget: ByteBudget, byteCount: Int) {
        self.budget = budget
        self.byteCount = byteCount
    }

    deinit { budget.give(byteCount) }
}

/// The part of a budget that one body has reserved; returned when the reservation is released.
final class ByteReservation {
    private static let step = 64 << 10

    private let budget: ByteBudget
    private var byteCount = 0
    /// Whether the budget had no room for all of the body.
    private(set) var isShort = false

    init(_ budget: ByteBudget) { self.budget = budget }

    deinit { budget.give(byteCount) }

    /// Reserves enough for a body of `wanted` bytes, in whole steps.
    func grow(to wanted: Int) {
        while byteCount < wanted, !isShort {
            if budget.take(ByteReservation.step) {
                byteCount += ByteReservation.step
            } else {
                isShort = true
            }
        }
    }
}
