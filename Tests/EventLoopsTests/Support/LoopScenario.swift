import ProxydEventLoops
import Synchronization

/// Runs a scenario on a fresh loop until it calls `finish`, and gives back what it finished with.
func onLoop<Value: Sendable>(
    lingering: LingerLimits = LingerLimits(),
    _ scenario: @escaping @Sendable (EventLoop, @escaping @Sendable (Value) -> Void) throws -> Void
) async throws -> Value {
    let group = try EventLoopGroup(count: 1, lingering: lingering)
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
final class Once<Value: Sendable>: Sendable {
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

/// A delegate made of closures, which also keeps what it saw.
final class Probe: DuplexStreamDelegate {
    var received: [UInt8] = []
    var receiveCount = 0
    var keepsBytes = true
    var onReceive: ((any DuplexStream, Span<UInt8>) -> Void)?
    var onEnd: ((any DuplexStream) -> Void)?
    var onPeerEnd: ((any DuplexStream) -> Void)?
    var onDrain: ((any DuplexStream) -> Void)?
    var onFail: ((StreamError) -> Void)?

    var text: String { String(decoding: received, as: UTF8.self) }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        receiveCount += 1
        if keepsBytes { bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) } }
        onReceive?(stream, bytes)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { onEnd?(stream) }
    func streamPeerDidEnd(_ stream: any DuplexStream) { onPeerEnd?(stream) }
    func streamDidDrain(_ stream: any DuplexStream) { onDrain?(stream) }
    func stream(_ stream: any DuplexStream, didFail error: StreamError) { onFail?(error) }
}

/// Two ends of one TCP connection over loopback, on one loop.
func connectPair(
    on loop: EventLoop, _ body: @escaping (_ client: SocketStream, _ server: SocketStream) -> Void
) throws {
    let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
    var client: SocketStream?
    var server: SocketStream?
    func ready() {
        guard let left = client, let right = server else { return }
        // Let go of both: whoever wants them holds them.
        (client, server) = (nil, nil)
        body(left, right)
    }
    var listener: Listener?
    listener = Listener(socket: socket, on: loop) { stream in
        listener?.stop()
        listener = nil
        server = stream
        ready()
    }
    listener?.start()
    ConnectAttempt(to: socket.localAddress, on: loop) { outcome in
        client = try? outcome.get()
        ready()
    }
}
