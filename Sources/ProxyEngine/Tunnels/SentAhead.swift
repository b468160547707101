internal import ProxydEventLoops

/// Bytes that a client has sent inside a tunnel before the layer that will take them exists.
struct SentAhead {
    /// The number of bytes examined before protocol detection gives up: a TLS ClientHello may have
    /// 131,396, plus the record headers.
    static let byteCountMax = 256 << 10

    private(set) var bytes: [UInt8] = []
    /// Whether the client has ended its side after it sent something.
    var hasEnded = false
    private var isPaused = false

    /// Whether no more bytes will be examined.
    var isFull: Bool { bytes.count >= SentAhead.byteCountMax }

    /// Keeps received bytes, and pauses the client once there are many.
    mutating func keep(_ received: Span<UInt8>, from client: any DuplexStream) {
        received.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        guard isFull, !isPaused else { return }
        isPaused = true
        client.pauseReading()
    }

    /// From now on another stream replaces the client's.
    mutating func move(from old: any DuplexStream, to new: any DuplexStream) {
        keep(take(from: old).bytes.span, from: new)
    }

    /// Removes and returns everything for a layer that reads on.
    mutating func take(from client: any DuplexStream) -> Unread {
        defer { bytes = [] }
        if isPaused {
            isPaused = false
            client.resumeReading()
        }
        return Unread(bytes: bytes, hasEnded: hasEnded)
    }
}
