internal import EventLoops
internal import HTTPModel
internal import TLS
internal import Transport

/// Makes connections for a client. The trust store is read when the first secure connection is
/// wanted: it costs milliseconds that programs without one need not spend. Confined to its loop.
final class ClientConnector: Connecting {
    private let loop: EventLoop
    private let resolver: Resolver
    private let trust: TrustSource
    private var plain: Connector?
    private var secure: Connector?

    init(loop: EventLoop, resolver: Resolver, trust: TrustSource) {
        self.loop = loop
        self.resolver = resolver
        self.trust = trust
    }

    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        do throws(TLSError) {
            return try connector(for: target).connect(
                to: target, deadlineNs: deadlineNs, completion: completion)
        } catch {
            return refuse(error, completion)
        }
    }

    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        do throws(TLSError) {
            return try connector(for: target).secure(
                established, for: target, deadlineNs: deadlineNs, completion: completion)
        } catch {
            established.stream.abort()
            return refuse(error, completion)
        }
    }

    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {
        secure?.reconfigure(limits, clientContext: clientContext)
    }

    private func connector(for target: ConnectTarget) throws(TLSError) -> Connector {
        if target.tls == nil {
            if let plain { return plain }
            let made = try makeConnector(.files([]))
            plain = made
            return made
        }
        if let secure { return secure }
        let made = try makeConnector(trust)
        secure = made
        return made
    }

    private func makeConnector(_ trust: TrustSource) throws(TLSError) -> Connector {
        var limits = ConnectLimits()
        limits.lookupNs = .max / 4
        limits.handshakeNs = .max / 4
        return Connector(
            loop: loop, resolver: resolver, tls: try TLSClientContext(trust: trust),
            limits: limits)
    }

    /// Fails an attempt that could not begin, after this call has returned.
    private func refuse(
        _ error: TLSError,
        _ completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let refusal = Refusal(completion)
        let failure = ExchangeFailure(origin: .proxy, kind: .tlsHandshake, message: error.message)
        loop.afterDispatch { refusal.tell(failure) }
        return refusal
    }

    private final class Refusal: Cancellable {
        private var completion: ((Result<EstablishedConnection, ExchangeFailure>) -> Void)?

        init(_ completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void) {
            self.completion = completion
        }

        func tell(_ failure: ExchangeFailure) { completion?(.failure(failure)) }
        func cancel() { completion = nil }
    }
}
