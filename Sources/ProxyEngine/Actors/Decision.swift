public import ProxydEventLoops
public import ProxydHTTPModel

/// A question to an actor, which answers it once, on its loop, immediately or later. Confined to
/// its loop.
public final class Decision<Verdict>: PendingDecision {
    /// The loop to answer on; a delayed answer may use its timers.
    public let loop: EventLoop
    private var handler: ((Verdict) -> Void)?
    private let noteEvent: (ExchangeEvent) -> Void

    init(
        on loop: EventLoop, noting noteEvent: @escaping (ExchangeEvent) -> Void = { _ in },
        _ handler: @escaping (Verdict) -> Void
    ) {
        self.loop = loop
        self.noteEvent = noteEvent
        self.handler = handler
    }

    /// Whether the answer is still awaited; false if the exchange has ended in the meantime.
    public var isWanted: Bool { handler != nil }

    /// Answers the question. A second answer, or one that is no longer wanted, is ignored.
    public func make(_ verdict: Verdict) {
        loop.preconditionOnLoop()
        guard let handler else { return }
        self.handler = nil
        handler(verdict)
    }

    /// Records what was done to the exchange; does nothing if the exchange has ended in the
    /// meantime.
    public func note(_ event: ExchangeEvent) {
        loop.preconditionOnLoop()
        if isWanted { noteEvent(event) }
    }

    /// Drops the question; an answer to it is ignored from now on.
    func withdraw() { handler = nil }
}

/// A question that has not been answered.
protocol PendingDecision: AnyObject {
    /// Drops the question; an answer to it is ignored from now on.
    func withdraw()
}

/// A verdict that can end an exchange: whatever the question was, the actor can answer the client
/// or close its connection.
public protocol EndingVerdict {
    /// Sends this answer to the client instead.
    static func answer(_ answer: ExchangeAnswer) -> Self
    /// Ends the client's connection without an answer; the failure is recorded as the reason.
    static func end(_ end: ExchangeEnd, because failure: ExchangeFailure) -> Self
}

extension ConnectVerdict: EndingVerdict {}
extension MessageVerdict: EndingVerdict {}
