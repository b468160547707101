internal import EventLoops

/// The client connections of one loop, and their deadlines.
///
/// A deadline is a number that a connection overwrites with each step, which costs nothing; once a
/// second all are compared with the clock. A timer per connection would cost a heap operation per
/// request, for a precision that nobody needs here.
final class ClientRegistry {
    private static let tickNs: Int64 = 250_000_000

    private let loop: EventLoop
    private var members: [any Supervised] = []
    private var timer: Timer?
    /// Called when the last member has left.
    var onEmpty: (() -> Void)?

    init(loop: EventLoop) { self.loop = loop }

    var count: Int { members.count }

    func add(_ member: any Supervised) {
        member.registryIndex = members.count
        members.append(member)
        if timer == nil { arm() }
    }

    func remove(_ member: any Supervised) {
        let place = member.registryIndex
        guard place >= 0, place < members.count else { return }
        let last = members.removeLast()
        if last !== member {
            members[place] = last
            last.registryIndex = place
        }
        member.registryIndex = -1
        if members.isEmpty { onEmpty?() }
    }

    /// Puts one layer of a connection in the place of another.
    func replace(_ old: any Supervised, with new: any Supervised) {
        let place = old.registryIndex
        guard place >= 0, place < members.count else { return add(new) }
        members[place] = new
        new.registryIndex = place
        old.registryIndex = -1
    }

    /// Tells everybody whose deadline has passed.
    func sweep(now: Int64) {
        for member in members where member.deadline <= now { member.deadlinePassed(now: now) }
    }

    func drainAll() { for member in members { member.drain() } }

    func terminateAll() { for member in members { member.terminate(.shutdown) } }

    /// Closes connections that only wait, to free descriptors.
    func closeIdle(atMost count: Int) {
        for member in members.filter(\.isIdle).prefix(count) { member.terminate(.overload) }
    }

    private func arm() {
        timer = loop.schedule(afterNs: ClientRegistry.tickNs) { [weak self] in self?.tick() }
    }

    private func tick() {
        timer = nil
        sweep(now: loop.now)
        if !members.isEmpty { arm() }
    }
}
