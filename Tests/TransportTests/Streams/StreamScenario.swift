import Foundation
import ProxydEventLoops
import ProxydTLS
import Synchronization

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

/// A delegate made of closures, which also keeps what it saw.
final class StreamProbe: DuplexStreamDelegate {
    var received: [UInt8] = []
    var onReceive: ((any DuplexStream, Span<UInt8>) -> Void)?
    var onEnd: ((any DuplexStream, _ isClean: Bool) -> Void)?
    var onDrain: ((any DuplexStream) -> Void)?
    var onFail: ((StreamError) -> Void)?

    var text: String { String(decoding: received, as: UTF8.self) }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) }
        onReceive?(stream, bytes)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { onEnd?(stream, isClean) }
    func streamDidDrain(_ stream: any DuplexStream) { onDrain?(stream) }
    func stream(_ stream: any DuplexStream, didFail error: StreamError) { onFail?(error) }
}

/// An authority of its own, servers it certifies, and clients that trust it or do not.
final class TLSFixture: Sendable {
    let leaves: LeafCertificateCache
    let trusting: TLSClientContext
    let distrusting: TLSClientContext
    private let directory: String

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/transport-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let authority = try CertificateAuthority.loadOrCreate(in: directory)
        leaves = try LeafCertificateCache(authority: authority)
        trusting = try TLSClientContext(
            trust: .files([CertificateAuthority.certificatePath(in: directory)]))
        distrusting = try TLSClientContext(trust: .files([]))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Both ends of a TLS connection for `example.test` over loopback, after both handshakes.
    func securePair(
        on loop: EventLoop, _ body: @escaping (_ client: TLSStream, _ server: TLSStream) -> Void
    ) throws {
        let context = try leaves.serverContext(for: "example.test")
        try connectPair(on: loop) { [trusting] client, server in
            var (left, right): (TLSStream?, TLSStream?)
            var doneCount = 0
            func done<Facts>(_ outcome: Result<Facts, TLSError>) {
                doneCount += 1
                if doneCount == 2, let left, let right { body(left, right) }
            }
            left = TLSStream(
                client: trusting, policy: TLSPolicy(name: "example.test"), port: 443, over: client
            ) { done($0) }
            right = TLSStream(
                server: context, over: server, handshakeTimeoutNs: 60_000_000_000
            ) { done($0) }
            left?.start()
            right?.start()
        }
    }
}
