import Glibc
import ProxydTestSupport
import Testing

@testable import ProxydEventLoops

@Suite(.timeLimit(.minutes(10)))
struct ListenerTests {
    private static let loopback = SocketAddress(ipv4: 0x7F00_0001, port: 0)

    @Test
    func `a listener that runs out of file descriptors pauses, retries and accepts again`()
        async throws
    {
        let order: [String] = try await onLoop { loop, finish in
            var order: [String] = []
            var failures = 2
            let socket = try ListeningSocket(address: Self.loopback)
            let listener = Listener(
                socket: socket, on: loop, retryNs: 5_000_000,
                accept: { descriptor in
                    guard failures > 0 else {
                        order.append("accepted")
                        return .connection(descriptor: accept(descriptor, nil, nil), peer: .unix)
                    }
                    failures -= 1
                    return .failed(errorNumber: EMFILE)
                },
                onAccept: { stream in
                    stream.abort()
                    finish(order)
                })
            listener.onPause = { error in order.append("\(error.kind) \(listener.isPaused)") }
            listener.start()
            ConnectAttempt(to: socket.localAddress, on: loop) { outcome in
                // The client's end must live until it was accepted.
                loop.schedule(afterNs: 10_000_000_000) { _ = outcome }
            }
        }
        #expect(order == ["exhausted true", "exhausted true", "accepted"])
    }

    @Test func `a paused listener accepts again when it is resumed`() async throws {
        let attempts: Int = try await onLoop { loop, finish in
            var attempts = 0
            let socket = try ListeningSocket(address: Self.loopback)
            let listener = Listener(
                socket: socket, on: loop, retryNs: 3_600_000_000_000,
                accept: { _ in
                    attempts += 1
                    return .failed(errorNumber: EMFILE)
                },
                onAccept: { _ in })
            listener.onPause = { [weak listener] _ in
                if attempts == 3 { return finish(attempts) }
                loop.schedule(afterNs: 1_000_000) { listener?.resume() }
            }
            listener.start()
            ConnectAttempt(to: socket.localAddress, on: loop) { _ in }
        }
        #expect(attempts == 3)
    }

    @Test func `several event loops can accept connections from one listening socket`() async throws
    {
        let group = try EventLoopGroup(count: 3)
        defer { group.shutdown() }
        let socket = try ListeningSocket(address: Self.loopback)
        let count = Counter()
        for loop in group.loops.dropLast() {
            loop.execute {
                Listener(socket: socket, on: loop) { stream in
                    count.increment()
                    stream.write(Array("hello".utf8))
                    stream.close()
                }.start()
            }
        }
        let client = group.loops[2]
        let texts = await withTaskGroup(of: String.self) { tasks in
            for _ in 0..<100 {
                tasks.addTask { await Self.read(from: socket.localAddress, on: client) }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "hello", count: 100))
        #expect(count.value == 100)
    }

    private static func read(from address: SocketAddress, on loop: EventLoop) async -> String {
        await withCheckedContinuation { done in
            loop.execute {
                ConnectAttempt(to: address, on: loop) { outcome in
                    guard let stream = try? outcome.get() else { return done.resume(returning: "") }
                    let probe = Probe()
                    probe.onEnd = { stream in
                        stream.close()
                        done.resume(returning: probe.text)
                    }
                    probe.onFail = { done.resume(returning: $0.message) }
                    stream.delegate = probe
                }
            }
        }
    }

    @Test func `a stopped listener refuses connections`() async throws {
        let kind: StreamError.Kind? = try await onLoop { loop, finish in
            var socket: ListeningSocket? = try ListeningSocket(address: Self.loopback)
            guard let address = socket?.localAddress else { return finish(nil) }
            if let socket {
                let listener = Listener(socket: socket, on: loop) { _ in }
                listener.start()
                listener.stop()
            }
            socket = nil
            loop.afterDispatch {
                ConnectAttempt(to: address, on: loop) { outcome in
                    if case .failure(let error) = outcome {
                        finish(error.kind)
                    } else {
                        finish(nil)
                    }
                }
            }
        }
        #expect(kind == .refused)
    }

    @Test func `an inherited listening socket can be adopted`() async throws {
        let made = try ListeningSocket(address: Self.loopback)
        let adopted = try ListeningSocket(adopting: dup(made.descriptor))
        #expect(adopted.localAddress == made.localAddress)
        #expect(adopted.localAddress.port != 0)
    }

    @Test func `a descriptor that is not a listening socket cannot be adopted`() throws {
        let plain = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(plain) }
        #expect(throws: StreamError.self) { try ListeningSocket(adopting: plain) }
        #expect(throws: StreamError.self) { try ListeningSocket(adopting: -1) }
    }

    @Test func `listening on an address that is already in use fails with an address-in-use error`()
        throws
    {
        let first = try ListeningSocket(address: Self.loopback)
        let error = #expect(throws: StreamError.self) {
            try ListeningSocket(address: first.localAddress)
        }
        #expect(error?.kind == .addressInUse)
    }

    @Test func `a Unix listening socket has mode 0600 and reports the peer's user and process`()
        async throws
    {
        let directory = try ScratchFolder()
        let path = directory.path + "/s"
        let socket = try ListeningSocket(unixPath: path)
        var info = stat()
        #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
        let credentials: [UInt32] = try await onLoop { loop, finish in
            Listener(socket: socket, on: loop) { stream in
                let peer = stream.peerCredentials
                finish([peer?.userID ?? .max, UInt32(peer?.processID ?? -1)])
                stream.abort()
            }.start()
            callAndLeave(unixSocket: path)
        }
        #expect(credentials == [getuid(), UInt32(getpid())])
    }

    @Test func `a Unix socket path that is too long is rejected`() {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        #expect(throws: StreamError.self) { try ListeningSocket(unixPath: path) }
    }
}

/// Connects to a Unix socket and closes; the connection waits in the listener's backlog.
func callAndLeave(unixSocket path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    close(descriptor)
}
