public import ProxydEventLoops
public import ProxydHTTPModel

/// A question put to an actor, to be answered once, on its loop, at once or later. Confined to its
/// loop.
public final class Decision<Verdict> {
    /// The loop to answer on; its timers serve to delay.
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

    /// Whether the answer is still waited for; it is not when the exchange has ended meanwhile.
    public var isWanted: Bool { handler != nil }

    /// Answers. A second answer, and one that is not wanted any more, is ignored.
    public func make(_ verdict: Verdict) {
        loop.preconditionOnLoop()
        guard let handler else { return }
        self.handler = nil
        handler(verdict)
    }

    /// Records what was done to the exchange; nothing, when it has ended meanwhile.
    public func note(_ event: ExchangeEvent) {
        loop.preconditionOnLoop()
        if isWanted { noteEvent(event) }
    }

    /// The answer is not wanted any more.
    func withdraw() { handler = nil }
}
