internal import ProxydEventLoops
internal import ProxydProxyEngine
internal import ProxydRules

/// The captures of all mocks of a set of rules.
struct MockShelves: Sendable {
    private let shelves: [(place: MockPlace, rule: RuleIdentity, shelf: MockShelf)]

    /// Creates the shelves, and starts to read the captures.
    /// - Parameter kept: The previous shelves; those of unchanged rules continue. Nil for none.
    init(_ rules: RuleSet, _ source: MockSource?, keeping kept: MockShelves?) {
        shelves = rules.mocks.map { mock in
            let rule = RuleIdentity(rules.rules[mock.place.rule])
            let former = kept?.shelves.first {
                $0.rule == rule && $0.place.action == mock.place.action
            }
            return (mock.place, rule, former?.shelf ?? MockShelf(mock, source))
        }
    }

    /// The statistics of each mock, in the order of the rules.
    var reports: [MockReport] { shelves.map(\.shelf.report) }

    /// Answers a request, on a loop.
    /// - Parameters:
    ///   - budget: The memory for all such answers.
    ///   - done: Called with the answer; nil if the request's body is needed first.
    func answer(
        _ call: MockCall, in budget: ByteBudget, on loop: EventLoop,
        _ done: @escaping (MockShelf.Reply?) -> Void
    ) {
        guard let shelf = shelves.first(where: { $0.place == call.place })?.shelf else {
            let text = "the captures of this rule no longer exist"
            let answer = MockMiss.answer(status: 502, differs: "gone", text)
            return done(MockShelf.Reply(served: .answer(answer, note: "status 502, \(text)")))
        }
        shelf.answer(call, in: budget, on: loop, done)
    }
}
