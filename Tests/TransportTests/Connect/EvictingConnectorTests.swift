import ProxydEventLoops
import ProxydHTTPModel
import ProxydTLS
import ProxydTestSupport
import Testing

@testable import ProxydTransport

/// When descriptors have run out, idle connections make way.
@Suite(.timeLimit(.minutes(5)))
struct EvictingConnectorTests {
    /// Fails as often as it is told to, then for another reason.
    private final class Failing: Connecting {
        var overloadedCount: Int
        private(set) var attemptCount = 0
        private(set) var cancelCount = 0
        private let loop: EventLoop

        init(_ overloadedCount: Int, _ loop: EventLoop) {
            self.overloadedCount = overloadedCount
            self.loop = loop
        }

        private final class Handle: Cancellable {
            let onCancel: () -> Void
            init(_ onCancel: @escaping () -> Void) { self.onCancel = onCancel }
            func cancel() { onCancel() }
        }

        func connect(
            to target: ConnectTarget, deadlineNs: Int64,
            completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
        ) -> any Cancellable {
            attemptCount += 1
            let isOverloaded = overloadedCount > 0
            overloadedCount -= 1
            let timer = loop.schedule(afterNs: 0) {
                completion(
                    .failure(
                        ExchangeFailure(
                            origin: .proxy, kind: isOverloaded ? .overloaded : .connectionRefused,
                            message: "")))
            }
            return Handle {
                timer.cancel()
                self.cancelCount += 1
            }
        }

        func secure(
            _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
            completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
        ) -> any Cancellable { Handle {} }

        func refusal(of target: ConnectTarget) -> ExchangeFailure? {
            ExchangeFailure(origin: .client, kind: .loop, message: target.host)
        }

        func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {}
    }

    private struct Seen: Sendable {
        var kind: ExchangeFailure.Kind?
        var attempts = 0
        var rooms = 0
        var asked = 0
    }

    /// What comes of a connection that is overloaded so often, if idle connections can be closed
    /// here so often.
    private func connect(overloaded: Int, rooms: Int) async throws -> Seen {
        try await onLoop { loop, finish in
            let failing = Failing(overloaded, loop)
            let connector = EvictingConnector(failing, loop: loop)
            var seen = Seen()
            connector.makeRoom = {
                seen.rooms += 1
                return seen.rooms <= rooms
            }
            connector.askOthers = { seen.asked += 1 }
            let target = ConnectTarget(host: "a.test", port: 80, tls: nil)
            _ = connector.connect(to: target, deadlineNs: .max) { result in
                if case .failure(let failure) = result { seen.kind = failure.kind }
                seen.attempts = failing.attemptCount
                finish(seen)
            }
        }
    }

    @Test func `a connection failure other than a lack of file descriptors is not retried`()
        async throws
    {
        let seen = try await connect(overloaded: 0, rooms: 9)
        #expect(seen.kind == .connectionRefused && seen.attempts == 1 && seen.rooms == 0)
    }

    @Test
    func `a connector that runs out of file descriptors closes an idle connection and retries`()
        async throws
    {
        let seen = try await connect(overloaded: 2, rooms: 2)
        #expect(seen.kind == .connectionRefused && seen.attempts == 3)
        #expect(seen.rooms == 2 && seen.asked == 0)
    }

    @Test
    func `a connector that has no idle connection to close asks other event loops to close some`()
        async throws
    {
        let seen = try await connect(overloaded: 2, rooms: 1)
        #expect(seen.kind == .connectionRefused && seen.attempts == 3 && seen.asked == 1)
    }

    @Test func `a connection attempt that lacks file descriptors is given up after four retries`()
        async throws
    {
        let seen = try await connect(overloaded: 99, rooms: 99)
        #expect(seen.kind == .overloaded && seen.attempts == 5)
    }

    @Test func `a connection attempt that waits for file descriptors can be cancelled`()
        async throws
    {
        let counts: [Int] = try await onLoop { loop, finish in
            let failing = Failing(99, loop)
            let connector = EvictingConnector(failing, loop: loop)
            var attempt: (any Cancellable)?
            connector.askOthers = {
                // Now it waits for the other loops.
                _ = loop.schedule(afterNs: 0) {
                    attempt?.cancel()
                    _ = loop.schedule(afterNs: 100_000_000) {
                        finish([failing.attemptCount, failing.cancelCount])
                    }
                }
            }
            attempt = connector.connect(
                to: ConnectTarget(host: "a", port: 1, tls: nil), deadlineNs: .max
            ) { _ in Issue.record("it was cancelled") }
        }
        #expect(counts == [1, 1])
    }

    @Test
    func `a connector that evicts idle connections reports refusals by the connector it wraps`()
        async throws
    {
        let message: String = try await onLoop { loop, finish in
            let connector = EvictingConnector(Failing(0, loop), loop: loop)
            let target = ConnectTarget(host: "own", port: 1, tls: nil)
            finish(connector.refusal(of: target)?.message ?? "")
        }
        #expect(message == "own")
    }
}
