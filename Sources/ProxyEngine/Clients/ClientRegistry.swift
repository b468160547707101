internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import Synchronization

/// The client connections of one loop, and their deadlines.
///
/// A deadline is a number that a connection overwrites at each step, which is cheap; four times a
/// second all are compared with the clock. A timer per connection would cost a heap operation per
/// request, for a precision that no one needs here.
final class ClientRegistry {
    private static let tickNs: Int64 = 250_000_000
    /// A client that was accepted or answered more recently than this does not count as idle: its
    /// request may already be in the kernel; nanoseconds.
    private static let idleNsMin: Int64 = 100_000_000
    /// A tick this late, in nanoseconds, means that the whole process or machine was suspended.
    private static let standstillNs: Int64 = 1_000_000_000

    private let loop: EventLoop
    private let total: ClientTotal
    private var members: [any Supervised] = []
    private var timer: Timer?
    /// When the deadlines were last checked, or the first member joined.
    private var lastTick: Int64 = 0
    /// No deadline is enforced before this time: what arrived during a suspension is read first.
    private var graceEnd: Int64 = 0
    /// Called when the last member has left.
    private var onEmpty: (() -> Void)?
    /// Whether the proxy is stopping: connections are no longer kept alive.
    private(set) var isDraining = false
    /// Called when a member has left.
    var onRoom: (() -> Void)?

    init(loop: EventLoop, total: ClientTotal) {
        self.loop = loop
        self.total = total
    }

    var count: Int { members.count }

    /// Reserves a place in the total for one more member; returns false if the limit is reached.
    func hasRoom(atMost countMax: Int) -> Bool { total.join(atMost: countMax) }

    /// Returns a reserved place that was not used.
    func giveRoomBack() {
        total.leave()
        onRoom?()
    }

    /// Adds a member for which a place in the total was reserved.
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

    /// Puts one member in the place of another.
    func replace(_ old: any Supervised, with new: any Supervised) {
        let place = old.registryIndex
        guard place >= 0, place < members.count else { return }
        members[place] = new
        new.registryIndex = place
        old.registryIndex = -1
    }

    /// Notifies every member whose deadline has passed.
    func sweep(now: Int64) {
        for member in members where member.deadline <= now { member.deadlinePassed(now: now) }
    }

    /// Ends running exchanges after a while; calls back when the last member has left.
    func drain(forNs drainNs: Int64, completion: @escaping () -> Void) {
        guard count > 0 else {
            isDraining = true
            return completion()
        }
        onEmpty = completion
        loop.schedule(afterNs: drainNs) { [self] in terminateAll() }
        drainAll()
    }

    func drainAll() {
        isDraining = true
        for member in members { member.drain() }
    }

    func terminateAll() { for member in members { member.terminate(.shutdown) } }

    /// Closes idle connections, to free file descriptors.
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

    /// Enforces deadlines, unless it was the daemon that was suspended.
    func look(now: Int64) {
        if now &- lastTick > ClientRegistry.tickNs &+ ClientRegistry.standstillNs {
            graceEnd = now &+ ClientRegistry.standstillNs
        }
        lastTick = now
        if now >= graceEnd { sweep(now: now) }
    }
}

/// Something whose deadline a loop watches: a client connection, in its current layer.
protocol Supervised: AnyObject {
    /// When `deadlinePassed` must be called, on the monotonic clock; `Int64.max` for never.
    var deadline: Int64 { get }
    /// Since when it has only been waiting for a next request, on the monotonic clock; such a
    /// connection may be closed when resources run short. Nil while it is not waiting.
    var idleSince: Int64? { get }
    /// Its index in the registry; maintained by the registry.
    var registryIndex: Int { get set }
    /// Called once the deadline has passed.
    func deadlinePassed(now: Int64)
    /// The proxy is stopping: finish what is running and start nothing new.
    func drain()
    func terminate(_ reason: TerminationReason)
}

/// Why the engine closes a connection.
enum TerminationReason {
    /// The proxy is stopping and the drain timeout has ended.
    case shutdown
    /// File descriptors or connections ran out.
    case overload
}

extension ExchangeFailure {
    static func terminated(_ reason: TerminationReason) -> ExchangeFailure {
        switch reason {
        case .shutdown: shutdown
        case .overload: overloaded
        }
    }
}

/// The number of client connections of all loops together, because they share one limit.
final class ClientTotal: Sendable {
    private let current = Atomic<Int>(0)

    /// Counts one more connection; returns false, and counts nothing, if the limit is reached.
    func join(atMost countMax: Int) -> Bool {
        if current.add(1, ordering: .relaxed).newValue <= countMax { return true }
        leave()
        return false
    }

    func leave() { current.subtract(1, ordering: .relaxed) }
}

/// Adds up the connection counts of all loops and reports the totals once.
final class ConnectionSums: Sendable {
    private struct State {
        var remaining: Int
        var clients = 0
        var servers = 0
    }

    private let state: Mutex<State>
    private let completion: @Sendable (Int, Int) -> Void

    init(loopCount: Int, completion: @escaping @Sendable (Int, Int) -> Void) {
        state = Mutex(State(remaining: loopCount))
        self.completion = completion
    }

    func add(clients: Int, servers: Int) {
        let sum = state.withLock { state -> State? in
            state.remaining -= 1
            state.clients += clients
            state.servers += servers
            return state.remaining == 0 ? state : nil
        }
        if let sum { completion(sum.clients, sum.servers) }
    }
}
