/// What is to be done when a dispatch ends, in rounds: what is added during one is done in the
/// next. A struct of its own, because each access to what a class stores is checked at run time.
struct DispatchEndWork {
    /// What is done together: the bodies first.
    struct Round {
        fileprivate(set) var bodies: [() -> Void] = []
        fileprivate(set) var observers: [any DispatchEndObserver] = []

        fileprivate var isEmpty: Bool { bodies.isEmpty && observers.isEmpty }
    }

    private var next = Round()
    /// An empty round with the storage of an earlier one.
    private var spare = Round()

    /// Whether there is nothing to do.
    var isEmpty: Bool { next.isEmpty }

    mutating func add(_ body: @escaping () -> Void) { next.bodies.append(body) }

    mutating func add(_ observer: any DispatchEndObserver) { next.observers.append(observer) }

    /// The next round; nil where there is nothing to do.
    mutating func takeRound() -> Round? {
        guard !next.isEmpty else { return nil }
        var taken = Round()
        swap(&taken, &spare)
        swap(&taken, &next)
        return taken
    }

    /// Keeps what a round that is over was stored in.
    mutating func keepStorage(of round: consuming Round) {
        round.bodies.removeAll(keepingCapacity: true)
        round.observers.removeAll(keepingCapacity: true)
        spare = round
    }
}
