import ProxydEventLoops

/// A stream without a socket: a playbook says what comes, and notes what is written.
final class ScriptedStream: DuplexStream {
    /// How a stream is ended: in good order, or by a reset.
    enum Ending: Sendable { case closed, aborted }

    let loop: EventLoop
    let name: String
    private unowned let transcript: Transcript
    var delegate: (any DuplexStreamDelegate)?
    private(set) var isOpen = true
    private(set) var isReadingPaused = false
    /// Every byte that was written, as it goes over the wire.
    private(set) var written: [UInt8] = []
    /// How it was ended by the engine; nil while it was not.
    private(set) var ending: Ending?
    /// What the peer does not take; set by a playbook that plays a slow reader.
    var queuedByteCount = 0
    /// What has come and was not read yet; set by a playbook whose peer speaks out of turn.
    var arrived: [UInt8] = []
    /// Whether the peer has ended, and no one has noticed yet.
    var hasEndedUnnoticed = false
    var isCongested: Bool { queuedByteCount > StreamWatermarks.highByteCount }
    let peerAddress: SocketAddress
    let localAddress: SocketAddress

    init(_ name: String, loop: EventLoop, transcript: Transcript, peerPort: UInt16) {
        self.name = name
        self.loop = loop
        self.transcript = transcript
        peerAddress = SocketAddress(ipv4: 0x7F00_0001, port: peerPort)
        localAddress = SocketAddress(ipv4: 0x7F00_0001, port: 8080)
    }

    func write(_ span: Span<UInt8>) {
        guard isOpen else { return }
        let bytes = span.withUnsafeBufferPointer { Array($0) }
        written += bytes
        transcript.wrote(bytes, to: name)
    }

    func flush() {}

    /// How often the engine asked for an acknowledgement of what it had read.
    private(set) var acknowledgementCount = 0
    func acknowledge() { acknowledgementCount += 1 }

    func pauseReading() {
        guard !isReadingPaused else { return }
        isReadingPaused = true
        transcript.note("\(name) paused")
    }

    func resumeReading() {
        guard isReadingPaused else { return }
        isReadingPaused = false
        transcript.note("\(name) resumed")
    }

    func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool {
        if !arrived.isEmpty { take(arrived.span) }
        arrived = []
        return isOpen && !hasEndedUnnoticed
    }

    func shutdownWriting() { transcript.note("\(name) write side ended") }

    func close() { end(.closed) }

    func abort() { end(.aborted) }

    private func end(_ how: Ending) {
        guard isOpen else { return }
        isOpen = false
        ending = how
        delegate = nil
        transcript.note("\(name) \(how)")
    }

    /// Plays bytes that come from the peer, whole or in pieces.
    func receive(_ bytes: [UInt8], pieceByteCount: Int) {
        var start = 0
        while start < bytes.count, isOpen {
            let end = min(bytes.count, start + pieceByteCount)
            let piece = Array(bytes[start..<end])
            delegate?.stream(self, didReceive: piece.span)
            start = end
        }
    }

    func receiveEnd(isClean: Bool) {
        if isOpen { delegate?.streamDidReachEnd(self, isClean: isClean) }
    }

    func fail() {
        guard isOpen else { return }
        isOpen = false
        let last = delegate
        delegate = nil
        last?.stream(self, didFail: StreamError(errorNumber: 104))
    }

    func drain() {
        queuedByteCount = 0
        if isOpen { delegate?.streamDidDrain(self) }
    }
}
