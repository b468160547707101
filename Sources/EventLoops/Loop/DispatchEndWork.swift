/// The work for the end of a dispatch, in rounds: what is added during one round is done in the
/// next. A separate struct, because each access to a class's stored property is checked at run
/// time.
struct DispatchEndWork {
    /// One round of work: the closures run first, then the observers.
    struct Round {
        fileprivate(set) var bodies: [() -> Void] = []
        fileprivate(set) var observers: [any DispatchEndObserver] = []

        fileprivate var isEmpty: Bool { bodies.isEmpty && observers.isEmpty }
    }

    private var next = Round()
    /// An empty round that reuses the storage of an earlier one.
    private var spare = Round()

    /// Whether there is no work.
    var isEmpty: Bool { next.isEmpty }

    mutating func add(_ body: @escaping () -> Void) { next.bodies.append(body) }

    mutating func add(_ observer: any DispatchEndObserver) { next.observers.append(observer) }

    /// Removes and returns the next round; nil if there is no work.
    mutating func takeRound() -> Round? {
        guard !next.isEmpty else { return nil }
        var taken = Round()
        swap(&taken, &spare)
        swap(&taken, &next)
        return taken
    }

    /// Keeps the storage of a finished round for reuse.
    mutating func keepStorage(of round: consuming Round) {
        round.bodies.removeAll(keepingCapacity: true)
        round.observers.removeAll(keepingCapacity: true)
        spare = round
    }
}
