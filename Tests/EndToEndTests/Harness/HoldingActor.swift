import Dispatch
import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydProxyEngine
import ProxydTransport
import Synchronization

/// Acts on all traffic of a daemon in one way. What it holds waits for `release()`.
final class HoldingActor: TrafficActor {
    /// What it does.
    enum Deed: Sendable {
        case holdRequests
        case holdResponses
        case delayRequests(ns: Int64)
        case answer(ExchangeAnswer)
        case replace(path: String, requestBody: String, status: Int, responseBody: String)
    }

    let deed: Deed
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let isOpen = Atomic<Bool>(false)
    private let arrivals = DispatchSemaphore(value: 0)
    private let endings = DispatchSemaphore(value: 0)

    init(_ deed: Deed) { self.deed = deed }

    func actor(
        for exchange: ExchangeContext, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? {
        HoldingExchangeActor(holder: self)
    }

    func drain() {
        isOpen.store(true, ordering: .sequentiallyConsistent)
        release()
    }

    /// Waits until this number of further messages is held; false where they do not come.
    func waitHeld(_ count: Int = 1) -> Bool { HoldingActor.wait(arrivals, count) }

    /// Waits until this number of further exchanges is over; false where they are not.
    func waitEnded(_ count: Int = 1) -> Bool { HoldingActor.wait(endings, count) }

    /// Lets all go on that is held.
    func release() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for one in all { one() }
    }

    /// Holds what `pass` lets go on. On a loop only.
    fileprivate func hold(on loop: EventLoop, _ pass: @escaping () -> Void) {
        let bound = LoopBound(pass, loop: loop)
        waiting.withLock { $0.append { loop.execute { bound.value() } } }
        arrivals.signal()
        if isOpen.load(ordering: .sequentiallyConsistent) { release() }
    }

    fileprivate func exchangeEnded() { endings.signal() }

    private static func wait(_ semaphore: DispatchSemaphore, _ count: Int) -> Bool {
        (0..<count).allSatisfy { _ in semaphore.wait(timeout: .now() + 60) == .success }
    }
}

/// One exchange that passes it.
private final class HoldingExchangeActor: ExchangeActor {
    private let holder: HoldingActor

    init(holder: HoldingActor) { self.holder = holder }

    func request(
        _ request: ForwardedRequest, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedRequest>>
    ) {
        switch holder.deed {
        case .holdRequests:
            holder.hold(on: decision.loop) { decision.make(.pass(request)) }
        case .delayRequests(let ns):
            decision.loop.schedule(afterNs: ns) { decision.make(.pass(request)) }
        case .answer(let answer): decision.make(.answer(answer))
        case .replace(let path, let text, _, _):
            guard case .coming = body else {
                return decision.make(.pass(request, .replaced(Array(text.utf8))))
            }
            var request = request
            request.url = RawURL(
                scheme: request.url.scheme, host: request.url.host, port: request.url.port,
                origin: Array(path.utf8))
            decision.make(.pass(request, .whole(byteCountMax: 1 << 20)))
        case .holdResponses: decision.make(.pass(request))
        }
    }

    func response(
        _ response: ForwardedResponse, _ body: BodySnapshot,
        _ decision: Decision<MessageVerdict<ForwardedResponse>>
    ) {
        switch holder.deed {
        case .holdResponses:
            holder.hold(on: decision.loop) { decision.make(.pass(response)) }
        case .replace(_, _, let status, let text):
            guard case .coming = body else {
                return decision.make(.pass(response, .replaced(Array(text.utf8))))
            }
            var response = response
            response.head = ResponseHead(
                status: status, reason: "Replaced", fields: response.head.fields)
            decision.make(.pass(response, .whole(byteCountMax: 1 << 20)))
        case .holdRequests, .delayRequests, .answer: decision.make(.pass(response))
        }
    }

    func exchangeEnded() { holder.exchangeEnded() }
}
