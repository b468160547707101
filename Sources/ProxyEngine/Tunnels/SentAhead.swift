internal import ProxydEventLoops

/// What a client has sent inside a tunnel ahead of the layer that will take it.
struct SentAhead {
    /// So much is looked at before giving up telling the protocol, in bytes: a TLS hello may have
    /// 131,396 and the records around them.
    static let byteCountMax = 256 << 10

    private(set) var bytes: [UInt8] = []
    /// Whether the client has ended its side, having sent something.
    var hasEnded = false
    private var isPaused = false

    /// Whether no more will be looked at.
    var isFull: Bool { bytes.count >= SentAhead.byteCountMax }

    /// Keeps what came, and pauses the client where that is much.
    mutating func keep(_ octets: Span<UInt8>, from client: any DuplexStream) {
        octets.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        guard isFull, !isPaused else { return }
        isPaused = true
        client.pauseReading()
    }

    /// From now on another stream stands for the client's.
    mutating func move(from old: any DuplexStream, to new: any DuplexStream) {
        let octets = take(from: old)
        keep(octets.span, from: new)
    }

    /// Takes all of it for a layer that reads on.
    mutating func take(from client: any DuplexStream) -> [UInt8] {
        defer { bytes = [] }
        if isPaused {
            isPaused = false
            client.resumeReading()
        }
        return bytes
    }
}
