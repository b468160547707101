internal import ProxydCLibevent
internal import ProxydSystem
internal import Glibc
internal import Synchronization

/// Resolves host names without blocking a loop: calls getaddrinfo on a few threads, with a deadline
/// for each lookup.
public final class Resolver: Sendable {
    /// Resolves a name; may block.
    public typealias Lookup = @Sendable (String) -> Result<[SocketAddress], HostLookupError>
    /// The result of a lookup: at least one address, with the requested port, in the system's
    /// order.
    public typealias Outcome = Result<[SocketAddress], HostLookupError>

    private let threads: LookupThreads
    private let lookup: Lookup

    /// Creates a resolver with its own threads, at most `threadCountMax`, started on demand.
    public convenience init(threadCountMax: Int = 8) {
        self.init(threadCountMax: threadCountMax, lookup: SystemLookup.addresses(of:))
    }

    public init(threadCountMax: Int = 8, lookup: @escaping Lookup) {
        threads = LookupThreads(threadCountMax: threadCountMax, waitingCountMax: 1_024)
        self.lookup = lookup
    }

    deinit { threads.close() }

    /// Resolves a name. `completion` is called once, on `loop`, never from within this call, unless
    /// the returned request is cancelled. IP addresses and loopback names (RFC 6761 §6.3) are
    /// answered in the same dispatch without a thread. On the loop only.
    @discardableResult
    public func resolve(
        _ host: String, port: UInt16, timeoutNs: Int64, on loop: EventLoop,
        completion: @escaping (Outcome) -> Void
    ) -> LookupRequest {
        let request = LookupRequest(loop: loop, completion: completion)
        if let known = Resolver.known(host, port: port) {
            loop.afterDispatch { request.finish(.success(known)) }
            return request
        }
        request.expire(afterNs: timeoutNs)
        let bound = LoopBound(request, loop: loop)
        let cancelled = request.cancellation
        let isTaken = threads.run { [lookup] in
            guard !cancelled.isSet else { return }
            let outcome = lookup(host).map { $0.map { $0.with(port: port) } }
            loop.execute { bound.value.finish(outcome) }
        }
        if !isTaken { loop.afterDispatch { request.finish(.failure(.overloaded)) } }
        return request
    }

    /// The addresses of a host that needs no lookup; nil for all others.
    private static func known(_ host: String, port: UInt16) -> [SocketAddress]? {
        if let literal = SocketAddress(ip: host, port: port) { return [literal] }
        return LoopbackName.matches(host) ? LoopbackName.addresses(port: port) : nil
    }
}

/// A lookup in progress. Loop-confined.
public final class LookupRequest {
    /// Tells the lookup threads that the answer is no longer wanted.
    final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)
        var isSet: Bool { flag.load(ordering: .relaxed) }
        func set() { flag.store(true, ordering: .relaxed) }
    }

    let cancellation = Cancellation()
    private let loop: EventLoop
    private var completion: ((Resolver.Outcome) -> Void)?
    private var deadline: Timer?

    init(loop: EventLoop, completion: @escaping (Resolver.Outcome) -> Void) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.completion = completion
    }

    /// Cancels the request; the completion is not called. The lookup thread may continue for a
    /// while.
    public func cancel() {
        loop.preconditionOnLoop()
        _ = end()
    }

    func expire(afterNs: Int64) {
        deadline = loop.schedule(afterNs: afterNs) { [self] in finish(.failure(.timedOut)) }
    }

    func finish(_ outcome: Resolver.Outcome) { end()?(outcome) }

    private func end() -> ((Resolver.Outcome) -> Void)? {
        defer { completion = nil }
        cancellation.set()
        deadline?.cancel()
        deadline = nil
        return completion
    }
}

/// A few threads for blocking calls. They start on demand, up to a limit, and are kept.
final class LookupThreads: Sendable {
    /// The stack size of a lookup thread in bytes: name service modules put large buffers there.
    private static let stackByteCount = 512 * 1_024

    private let threadCountMax: Int
    private let waitingCountMax: Int
    private let state = Mutex(State())
    private let work = Semaphore()

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threadCount = 0
        var idleCount = 0
    }

    init(threadCountMax: Int, waitingCountMax: Int) {
        self.threadCountMax = max(1, threadCountMax)
        self.waitingCountMax = waitingCountMax
    }

    /// Queues a closure; returns false if too many are waiting already, or if no thread can be
    /// started.
    func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        let mustStart: Bool? = state.withLock { state in
            guard state.waiting.count < waitingCountMax else { return nil }
            state.waiting.append(body)
            guard state.waiting.count > state.idleCount, state.threadCount < threadCountMax
            else { return false }
            state.threadCount += 1
            return true
        }
        guard let mustStart else { return false }
        work.signal()
        return !mustStart || startOne()
    }

    /// Ends the threads after the queued closures have run.
    func close() {
        // A signal without queued work ends one thread.
        for _ in 0..<state.withLock({ $0.threadCount }) { work.signal() }
    }

    private func startOne() -> Bool {
        let stackByteCount = LookupThreads.stackByteCount
        let isStarted = startDetachedThread(stackByteCount: stackByteCount) { [self] in
            while let body = next() { body() }
        }
        if isStarted { return true }
        // If there is no thread at all, the closure would never run: its request times out instead.
        return state.withLock { state in
            state.threadCount -= 1
            return state.threadCount > 0
        }
    }

    /// Waits for a closure; nil if the thread must end.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { $0.idleCount += 1 }
        work.wait()
        return state.withLock { state in
            state.idleCount -= 1
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }
}

/// Calls getaddrinfo, which resolves names as the whole system does (nsswitch, hosts file, VPN).
/// Blocks.
enum SystemLookup {
    /// Returns the addresses of a name in the system's order, with port 0.
    static func addresses(of host: String) -> Result<[SocketAddress], HostLookupError> {
        // getaddrinfo would stop at a NUL and look up another name.
        guard !host.isEmpty, !host.utf8.contains(0) else { return .failure(.notFound) }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        guard result == 0 else { return .failure(error(result)) }
        defer { freeaddrinfo(list) }
        let found = read(list)
        return found.isEmpty ? .failure(.notFound) : .success(found)
    }

    private static func read(_ list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            let info = entry.pointee
            if let address = info.ai_addr,
                let read = SocketAddress(
                    UnsafeRawPointer(address), byteCount: Int(info.ai_addrlen)),
                !found.contains(read)
            {
                found.append(read)
            }
            next = info.ai_next
        }
        return found
    }

    /// EAI_NODATA, which glibc defines only for GNU programs.
    private static let noData: Int32 = -5

    private static func error(_ result: Int32) -> HostLookupError {
        switch result {
        case EAI_NONAME, noData: .notFound
        case EAI_AGAIN: .temporary
        default: .other(String(cString: gai_strerror(result)))
        }
    }
}

/// The names that always mean the local machine, so that no name server is asked (RFC 6761 §6.3):
/// `localhost` and every name below it.
enum LoopbackName {
    /// Whether a name is one of them, in any case and with or without a trailing dot.
    static func matches(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// The addresses of each of them, `::1` and `127.0.0.1`.
    static func addresses(port: UInt16) -> [SocketAddress] {
        [SocketAddress(ipv6: 0, 1, port: port), SocketAddress(ipv4: 0x7F00_0001, port: port)]
    }
}

public enum HostLookupError: Error, Sendable, Hashable {
    /// The name does not exist, or has no addresses.
    case notFound
    /// The name servers could not be reached or did not know; a later attempt may succeed.
    case temporary
    /// No answer arrived before the deadline.
    case timedOut
    /// Too many lookups are already waiting.
    case overloaded
    /// Another error, with the system's message.
    case other(String)
}

extension HostLookupError: CustomStringConvertible {
    /// A one-line message for the user, without the name.
    public var description: String {
        switch self {
        case .notFound: "the host name does not exist"
        case .temporary: "the name servers gave no answer"
        case .timedOut: "the name look-up took too long"
        case .overloaded: "too many name look-ups are waiting"
        case .other(let words): words
        }
    }
}
