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

    /// Creates a resolver that calls `lookup` instead of the system.
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
