import ProxydHTTPModel
import Synchronization

@testable import ProxydTUI
import ProxydOperations

/// Answers requests out of memory, and records what was sent among scripted exchanges.
final class ScriptedServer: ExchangeReplaying {
    struct Sent: Sendable {
        let request: Request
        let original: ExchangeID?
        let isExact: Bool
        let route: ReplayRoute
    }

    private let exchanges: ScriptedExchanges
    private let state: Mutex<(sent: [Sent], lastID: Int64)>
    /// The body that the server answers with; nil for the original's.
    let answer: [UInt8]?
    /// Why nothing can be sent; nil where it can.
    let refusal: String?

    init(_ exchanges: ScriptedExchanges, answer: [UInt8]? = nil, refusal: String? = nil) {
        self.exchanges = exchanges
        self.answer = answer
        self.refusal = refusal
        state = Mutex(([], 100))
    }

    var sent: [Sent] { state.withLock { $0.sent } }

    func send(
        _ request: Request, repeating original: ExchangeID?, by route: ReplayRoute,
        isCancelled: () -> Bool
    ) throws -> ExchangeID {
        if let refusal { throw WorkFailure(refusal) }
        return record(request, original, isExact: false, route)
    }

    func replay(
        _ order: ReplayOrder, isCancelled: () -> Bool,
        onResult: @escaping @Sendable (ReplayOutcome) -> Void
    ) throws {
        if let refusal { throw WorkFailure(refusal) }
        for id in order.ids {
            guard let original = try exchanges.exchange(id, bodyByteCountMax: .max) else {
                continue
            }
            for round in 0..<order.roundCount {
                let new = record(original.request, id, isExact: order.isExact, order.route)
                onResult(
                    ReplayOutcome(
                        originalID: id, id: new, status: round % 4 == 3 ? 503 : 200,
                        isStatusSame: round % 4 != 3, bodyByteCount: 10,
                        body: round % 5 == 4 ? .different : .same,
                        durationNs: Int64(round + 1) * 1_000_000,
                        problem: round == 7 ? "the connection was reset" : nil))
            }
        }
    }

    private func record(
        _ request: Request, _ original: ExchangeID?, isExact: Bool, _ route: ReplayRoute
    ) -> ExchangeID {
        let id = state.withLock { state in
            state.lastID += 1
            state.sent.append(
                Sent(request: request, original: original, isExact: isExact, route: route))
            return state.lastID
        }
        var new = DetailSamples.answer("application/json", answer ?? Array("{}".utf8))
        exchanges.change { all in
            if let former = all.first(where: { $0.id == original }) {
                new.response = former.response
                if let answer { new.response?.body = Body(answer) }
            }
            all.append(
                Exchange(
                    id: ExchangeID(rawValue: id), state: .complete, request: request,
                    response: new.response, timeline: DetailSamples.timeline, replayOf: original))
        }
        return ExchangeID(rawValue: id)
    }
}
