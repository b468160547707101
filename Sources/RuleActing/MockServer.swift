internal import ProxydEventLoops
public import ProxydFilter
public import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydRules
internal import Dispatch
internal import Synchronization

/// The captures of one mock: their keys are in memory, their bodies stay in the store until served.
///
/// Reading, comparing and serving happen one after another on a separate thread: no loop waits for
/// the disk or for the comparison of a large body, and only one response is read at a time.
final class MockServer: Sendable {
    /// The answer to a request.
    struct Reply: Sendable {
        let served: MockServed
        /// How long the response should take; nil for no artificial delay.
        var timing: MockTiming?
        /// The memory that the answer takes.
        var share: ByteShare?
    }

    private struct State: Sendable {
        var table: MockTable
        var problems = MockProblems()
        var isRead = false
    }

    private let rule: String
    private let mock: RuleMock
    private let source: MockSource?
    private let queue = DispatchQueue(label: "proxyd.mocks")
    private let state: Mutex<State>

    /// Creates the server, and starts to read the captures.
    init(_ placed: PositionedMock, _ source: MockSource?) {
        rule = placed.rule
        mock = placed.mock
        self.source = source
        state = Mutex(State(table: MockTable(placed.mock.matching, order: placed.mock.order)))
        queue.async { [weak self] in self?.read() }
    }

    var report: MockReport {
        state.withLock { state in
            MockReport(
                rule: rule, isRead: state.isRead, captureCount: state.table.count,
                servedCount: state.table.servedCount, unmatchedCount: state.table.unmatchedCount,
                neverServed: state.table.neverServed, problems: state.problems.lines)
        }
    }

    // MARK: Reading

    private func read() {
        // Captures are read once there is a source.
        guard let source else { return }
        do {
            try source.read(mock.filter) { exchange in take(exchange) }
        } catch {
            state.withLock { $0.problems.failure = "the captures cannot be read: \(error)" }
        }
        state.withLock { state in
            state.isRead = true
            guard state.table.count == 0, state.problems.lines.isEmpty else { return }
            state.problems.failure = "no capture matches its filter"
        }
        source.onRead(report)
    }

    /// Adds a capture; returns whether more are wanted.
    private func take(_ exchange: Exchange) -> Bool {
        guard !MockCapture.isOfRule(exchange) else { return true }
        do throws(MockCapture.Objection) {
            let capture = try MockCapture(exchange)
            return state.withLock { state in
                if state.table.add(capture.request, id: capture.id) { return true }
                let most = MockTable.captureCountMax
                state.problems.failure =
                    "there are more than \(most) captures: the rest is left out"
                return false
            }
        } catch {
            state.withLock { $0.problems.add(error, to: exchange.id.rawValue) }
            return true
        }
    }

    // MARK: Serving

    /// Answers a request, on a loop.
    /// - Parameters:
    ///   - budget: The memory for all such answers.
    ///   - done: Called with the answer; nil if the request's body is needed first.
    func answer(
        _ call: MockCall, in budget: ByteBudget, on loop: EventLoop,
        _ done: @escaping (Reply?) -> Void
    ) {
        let done = LoopBound(done, loop: loop)
        queue.async { [self] in
            let reply = reply(to: call, in: budget)
            loop.execute { done.value(reply) }
        }
    }

    /// Returns nil if the body is needed first.
    private func reply(to call: MockCall, in budget: ByteBudget) -> Reply? {
        let request = call.request
        let anyOrigin = source?.isOwn(request.url) ?? false
        let answer: MockAnswer? = state.withLock { state in
            let isBodyWanted =
                call.isBodyComing && state.table.hasPlace(of: request, anyOrigin: anyOrigin)
            return isBodyWanted ? nil : state.table.answer(to: request, anyOrigin: anyOrigin)
        }
        switch answer {
        case nil: return nil
        case .capture(let id)?: return serve(id, in: budget)
        case .unmatched(let miss)?: return Reply(served: unmatched(miss, call))
        }
    }

    private func serve(_ id: Int64, in budget: ByteBudget) -> Reply {
        let exchange: Exchange?
        do {
            exchange = try source?.exchange(id)
        } catch {
            return Reply(served: gone("capture \(id) cannot be read: \(error)"))
        }
        let now = EventLoop.wallNow()
        // A capture that was complete when it was read may have been deleted or replaced since.
        guard let exchange, (try? MockCapture(exchange)) != nil,
            let answer = RuleAnswer(exchange, isRefreshed: mock.isRefreshed, nowNs: now)
        else { return Reply(served: gone("capture \(id) no longer exists")) }
        guard let share = budget.share(answer.body.count) else {
            return Reply(served: .answer(.noMemory, note: "status 503, capture \(id)"))
        }
        var reply = Reply(
            served: .answer(answer, note: "status \(answer.status), capture \(id)"), share: share)
        if mock.pace == .recorded { reply.timing = MockTiming(exchange.timeline) }
        return reply
    }

    /// A request is not forwarded to a server because a capture is missing.
    private func gone(_ text: String) -> MockServed {
        .answer(MockMiss.answer(status: 502, differs: "gone", text), note: "status 502, \(text)")
    }

    private func unmatched(_ miss: MockMiss, _ call: MockCall) -> MockServed {
        switch mock.unmatched {
        case .forward: return .forwarded("\(miss.note), forwarded")
        case .close: return .closed(miss.note)
        case .status where call.isUpgrade:
            let text = "a capture cannot answer a switch of protocols"
            return .answer(
                MockMiss.answer(status: 501, differs: "upgrade", text), note: "status 501")
        case .status(let status):
            let nearest = miss.nearest.flatMap { try? source?.exchange($0) }
            let answer = miss.answer(
                status: status, to: call.request,
                nearest: nearest.flatMap { try? MockCapture($0).request }, mock.matching)
            return .answer(answer, note: "status \(status), \(miss.note)")
        }
    }
}

/// The captures of all mocks of a set of rules.
struct MockServers: Sendable {
    private let servers: [(position: MockPosition, rule: RuleIdentity, server: MockServer)]

    /// Creates the servers, and starts to read the captures.
    /// - Parameter kept: The previous servers; those of unchanged rules continue. Nil for none.
    init(_ rules: RuleSet, _ source: MockSource?, keeping kept: MockServers?) {
        servers = rules.mocks.map { mock in
            let rule = RuleIdentity(rules.rules[mock.position.rule])
            let former = kept?.servers.first {
                $0.rule == rule && $0.position.action == mock.position.action
            }
            return (mock.position, rule, former?.server ?? MockServer(mock, source))
        }
    }

    /// The statistics of each mock, in the order of the rules.
    var reports: [MockReport] { servers.map(\.server.report) }

    func answer(
        _ call: MockCall, in budget: ByteBudget, on loop: EventLoop,
        _ done: @escaping (MockServer.Reply?) -> Void
    ) {
        guard let server = servers.first(where: { $0.position == call.position })?.server else {
            let text = "the captures of this rule no longer exist"
            let answer = MockMiss.answer(status: 502, differs: "gone", text)
            return done(MockServer.Reply(served: .answer(answer, note: "status 502, \(text)")))
        }
        server.answer(call, in: budget, on: loop, done)
    }
}

/// The source of captures that answer requests. Its closures are called on threads that may block.
public struct MockSource: Sendable {
    /// The maximum size of a body that is served, in bytes.
    public static let bodyByteCountMax = 64 << 20

    /// Passes the exchanges that a filter selects, in the order in which they were recorded, to
    /// `take`, until that returns false.
    public let read: @Sendable (Filter, _ take: (Exchange) -> Bool) throws -> Void
    /// Returns one exchange, with its bodies complete if they do not exceed the maximum size; nil
    /// if it has been deleted.
    public let exchange: @Sendable (Int64) throws -> Exchange?
    /// Whether a URL names the server of the captures itself: captures of any server answer it.
    public let isOwn: @Sendable (RawURL) -> Bool
    /// Called when the captures of a mock have been read.
    public let onRead: @Sendable (MockReport) -> Void

    public init(
        read: @escaping @Sendable (Filter, (Exchange) -> Bool) throws -> Void,
        exchange: @escaping @Sendable (Int64) throws -> Exchange?,
        isOwn: @escaping @Sendable (RawURL) -> Bool = { _ in false },
        onRead: @escaping @Sendable (MockReport) -> Void = { _ in }
    ) {
        self.read = read
        self.exchange = exchange
        self.isOwn = isOwn
        self.onRead = onRead
    }
}

/// Why captures of a mock are not served.
struct MockProblems: Sendable {
    /// The maximum number of captures that are listed; the rest is only counted.
    private static let namedCountMax = 10

    private var counts: [MockCapture.Objection: Int] = [:]
    private var named: [MockCapture.Objection: [Int64]] = [:]
    /// Why captures are missing: they could not be read, or there are too many or none.
    var failure: String?

    mutating func add(_ objection: MockCapture.Objection, to id: Int64) {
        counts[objection, default: 0] += 1
        guard named[objection, default: []].count < MockProblems.namedCountMax else { return }
        named[objection, default: []].append(id)
    }

    /// A line for each kind of problem: `not served: 2 captures with a response body that was not
    /// kept whole (1041, 1042)`.
    var lines: [String] {
        let objections = MockCapture.Objection.allCases.compactMap { objection -> String? in
            guard let count = counts[objection] else { return nil }
            let ids = named[objection, default: []].map(String.init)
            let all = ids.joined(separator: ", ") + (count > ids.count ? ", …" : "")
            let captures = count == 1 ? "1 capture" : "\(count) captures"
            return "not served: \(captures) \(objection.reason) (\(all))"
        }
        return objections + (failure.map { [$0] } ?? [])
    }
}

/// Statistics of a mock since its captures were read.
public struct MockReport: Sendable, Hashable {
    public let rule: String
    public let isRead: Bool
    /// The number of captures that can be served.
    public let captureCount: Int
    /// The number of requests that got a capture.
    public let servedCount: Int
    /// The number of requests that got none.
    public let unmatchedCount: Int
    /// The numbers of captures that no request asked for, in their order.
    public let neverServed: [Int64]
    /// Why captures are not served, or there are none, as text.
    public let problems: [String]
}
