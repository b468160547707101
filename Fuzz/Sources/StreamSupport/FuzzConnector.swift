public import ProxydEventLoops
internal import FuzzSupport
public import ProxydHTTPModel
public import ProxydTLS
public import ProxydTransport

/// Makes connections when a script says so.
public final class FuzzConnector: Connecting {
    private final class Attempt: Cancellable {
        var completion: ((Result<EstablishedConnection, ExchangeFailure>) -> Void)?
        /// The plain connection that is to be secured.
        var plain: EstablishedConnection?

        func cancel() {
            completion = nil
            plain?.stream.abort()
            plain = nil
        }
    }

    private let loop: EventLoop
    private var attempts: [Attempt] = []
    /// Every connection that was made, oldest first.
    public private(set) var streams: [FuzzStream] = []

    /// A connector of a loop.
    public init(loop: EventLoop) { self.loop = loop }

    /// Notes an attempt.
    public func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        begin(nil, completion)
    }

    /// Notes an attempt; what is made is another connection, without TLS.
    public func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        begin(established, completion)
    }

    /// Nothing is limited here.
    public func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {}

    private func begin(
        _ plain: EstablishedConnection?,
        _ completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let attempt = Attempt()
        attempt.completion = completion
        attempt.plain = plain
        attempts.append(attempt)
        return attempt
    }

    /// Whether somebody waits for a connection.
    public var isWaitedFor: Bool { attempts.contains { $0.completion != nil } }

    /// The oldest attempt that is still wanted succeeds.
    public func succeed() {
        guard let attempt = next(), let completion = attempt.completion else { return }
        attempt.completion = nil
        attempt.plain?.stream.abort()
        let port = UInt16(truncatingIfNeeded: 9000 + streams.count)
        let stream = FuzzStream(loop: loop, peerPort: port)
        streams.append(stream)
        completion(.success(EstablishedConnection(stream: stream, timings: ConnectTimings())))
    }

    /// The oldest attempt that is still wanted fails.
    public func fail(_ kind: ExchangeFailure.Kind) {
        guard let attempt = next(), let completion = attempt.completion else { return }
        attempt.completion = nil
        attempt.plain?.stream.abort()
        completion(.failure(ExchangeFailure(origin: .upstream, kind: kind, message: "scripted")))
    }

    private func next() -> Attempt? {
        while !attempts.isEmpty {
            let attempt = attempts.removeFirst()
            if attempt.completion != nil { return attempt }
        }
        return nil
    }
}
