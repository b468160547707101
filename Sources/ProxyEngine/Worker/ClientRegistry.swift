internal import ProxydEventLoops

/// The client connections of one loop, and their deadlines.
///
/// A deadline is a number that a connection overwrites with each step, which costs nothing; four
/// times a second all are compared with the clock. A timer per connection would cost a heap
/// operation per request, for a precision that nobody needs here.
final class ClientRegistry {
    private static let tickNs: Int64 = 250_000_000
    /// A client that was accepted or answered so recently is no idle one: its request may be in the
    /// kernel already; nanoseconds.
    private static let idleNsMin: Int64 = 100_000_000
    /// A look so much later than it was due shows that the whole process stood still (SIGSTOP, a
    /// machine that slept); nanoseconds.
    private static let standstillNs: Int64 = 1_000_000_000

    private let loop: EventLoop
    private let total: ClientTotal
    private var members: [any Supervised] = []
    private var timer: Timer?
    /// When the clients were last looked at, or somebody came to be looked at.
    private var lastTick: Int64 = 0
    /// Before this nobody is late: what was sent during a standstill must be read first.
    private var graceEnd: Int64 = 0
    /// Called when the last member has left.
    var onEmpty: (() -> Void)?
    /// Called when a member has left.
    var onRoom: (() -> Void)?

    init(loop: EventLoop, total: ClientTotal) {
        self.loop = loop
        self.total = total
    }

    var count: Int { members.count }

    /// Whether one more may join the total; it has joined then.
    func hasRoom(atMost countMax: Int) -> Bool { total.join(atMost: countMax) }

    /// One that has joined the total was not taken in, and leaves it.
    func giveRoomBack() {
        total.leave()
        onRoom?()
    }

    /// Takes one in that has joined the total.
    func add(_ member: any Supervised) {
        member.registryIndex = members.count
        members.append(member)
        if timer == nil {
            lastTick = loop.now
            arm()
        }
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
        total.leave()
        if members.isEmpty { onEmpty?() }
        onRoom?()
    }

    /// Puts one layer of a connection in the place of another, which has not left.
    func replace(_ old: any Supervised, with new: any Supervised) {
        let place = old.registryIndex
        guard place >= 0, place < members.count else { return }
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
    func closeIdle(atMost count: Int, now: Int64) {
        let last = now &- ClientRegistry.idleNsMin
        let idle = members.filter { ($0.idleSince ?? .max) <= last }
        for member in idle.prefix(count) { member.terminate(.overload) }
    }

    private func arm() {
        timer = loop.schedule(afterNs: ClientRegistry.tickNs) { [weak self] in self?.tick() }
    }

    private func tick() {
        timer = nil
        look(now: loop.now)
        if !members.isEmpty { arm() }
    }

    /// Sends late ones away, unless it was the daemon that stood still and not they.
    func look(now: Int64) {
        if now &- lastTick > ClientRegistry.tickNs &+ ClientRegistry.standstillNs {
            graceEnd = now &+ ClientRegistry.standstillNs
        }
        lastTick = now
        if now >= graceEnd { sweep(now: now) }
    }
}
