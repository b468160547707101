import ProxydEventLoops

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
