internal import ProxydEventLoops

/// A layer of a client's connection, such as CONNECT, TLS or HTTP. Each reads the client's bytes
/// until `ClientRegistry.replace` puts the next one in its place.
protocol ClientLayer: Supervised {
    /// Takes over the client's stream, as its delegate or below a stream of its own.
    /// - Parameter early: What the client sent that no layer before has used.
    func start(over stream: any DuplexStream, early: Span<UInt8>)
}

extension ClientLayer where Self: DuplexStreamDelegate {
    /// Becomes the delegate of the stream, and receives the early bytes like any others.
    func start(over stream: any DuplexStream, early: Span<UInt8>) {
        stream.delegate = self
        if early.count > 0 { self.stream(stream, didReceive: early) }
    }
}

/// What a layer leaves to the next one, because the stream delivers it only once.
struct Unread {
    var bytes: [UInt8] = []
    /// Whether the client has ended its side after that.
    var hasEnded = false
}

extension ClientRegistry {
    /// Starts the first layer of a connection for which a place in the total was reserved.
    func begin(_ layer: any ClientLayer, over stream: any DuplexStream, unread: Unread = Unread()) {
        add(layer)
        pass(stream, unread, to: layer)
    }

    /// Puts another layer in the place of one; the connection stays a member.
    func replace(
        _ old: any ClientLayer, with new: any ClientLayer, over stream: any DuplexStream,
        unread: Unread = Unread()
    ) {
        replace(old, with: new)
        pass(stream, unread, to: new)
    }

    private func pass(_ stream: any DuplexStream, _ unread: Unread, to layer: any ClientLayer) {
        layer.start(over: stream, early: unread.bytes.span)
        // The layer may already have been replaced by the one that the end belongs to.
        if unread.hasEnded { stream.delegate?.streamDidReachEnd(stream, isClean: true) }
    }
}
