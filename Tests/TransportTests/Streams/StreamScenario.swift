import ProxydEventLoops
import Synchronization
import ProxydTLS

@testable import ProxydTransport

/// Runs a scenario on a fresh loop until it calls `finish`, and gives back what it finished with.
func onLoop<Value: Sendable>(
    _ scenario: @escaping @Sendable (EventLoop, @escaping @Sendable (Value) -> Void) throws -> Void
) async throws -> Value {
    let group = try EventLoopGroup(count: 1)
    defer { group.shutdown() }
    return try await withCheckedThrowingContinuation { continuation in
        let once = Once(continuation)
        let loop = group.next()
        loop.execute {
            do { try scenario(loop) { once.resume(.success($0)) } } catch {
                once.resume(.failure(error))
            }
        }
    }
}

/// A continuation that later calls cannot resume again.
private final class Once<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>
    private let isDone = Atomic(false)

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = continuation
    }

    func resume(_ result: Result<Value, any Error>) {
        guard !isDone.exchange(true, ordering: .relaxed) else { return }
        continuation.resume(with: result)
    }
}

/// Listens on loopback and hands each connection over.
func listen(
    on loop: EventLoop, _ onAccept: @escaping (SocketStream) -> Void
) throws -> SocketAddress {
    let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
    Listener(socket: socket, on: loop, onAccept: onAccept).start()
    return socket.localAddress
}

/// Two ends of one TCP connection over loopback, on one loop.
func connectPair(
    on loop: EventLoop, _ body: @escaping (_ client: SocketStream, _ server: SocketStream) -> Void
) throws {
    var (client, server): (SocketStream?, SocketStream?)
    func ready() {
        if let client, let server { body(client, server) }
    }
    let address = try listen(on: loop) { stream in
        server = stream
        ready()
    }
    ConnectAttempt(to: address, on: loop) { outcome in
        client = try? outcome.get()
        ready()
    }
}
