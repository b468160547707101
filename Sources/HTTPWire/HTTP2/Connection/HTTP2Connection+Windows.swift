public import ProxydHTTPModel

/// Windows (RFC 9113 §5.2): what the peer may send.
extension HTTP2Connection {
    /// Holds back a stream's window, or gives it back: while its reader is slow, nothing is given.
    public mutating func setReceivingPaused(_ id: StreamID, _ isPaused: Bool) {
        guard let stream = streams.find(id), stream.isReceivingPaused != isPaused else { return }
        stream.isReceivingPaused = isPaused
        guard !isPaused else { return }
        release(stream)
        giveBack(stream)
    }

    /// Bytes of a body came and were handed out.
    mutating func took(_ count: Int, of stream: HTTP2Stream) {
        stream.uncreditedByteCount &+= count
        if stream.isReceivingPaused {
            stream.heldByteCount &+= count
            heldByteCount &+= count
            if heldByteCount > options.heldByteCountMax {
                stream.connectionDebt &+= count
            } else {
                credit(count)
            }
        } else {
            credit(count)
            giveBack(stream)
        }
    }

    /// Bytes came that carry nothing: no one has to read them.
    mutating func creditIdle(_ count: Int, of stream: HTTP2Stream) {
        guard count > 0 else { return }
        credit(count)
        stream.uncreditedByteCount &+= count
        if !stream.isReceivingPaused { giveBack(stream) }
    }

    /// Gives back the connection's window, once it is worth a frame.
    mutating func credit(_ count: Int) {
        uncreditedByteCount &+= count
        guard uncreditedByteCount >= max(options.windowByteCount, 65_535) / 2, !isFailed else {
            return
        }
        writeWindowUpdate(0, by: uncreditedByteCount, in: connectionLog)
        receiveWindow &+= uncreditedByteCount
        uncreditedByteCount = 0
    }

    /// Gives back a stream's window, once it is worth a frame.
    private mutating func giveBack(_ stream: HTTP2Stream) {
        let window = Int(options.settings.initialWindowByteCount)
        guard stream.receiving != .ended, stream.uncreditedByteCount >= max(1, window / 2) else {
            return
        }
        writeWindowUpdate(
            stream.id.rawValue, by: stream.uncreditedByteCount, in: stream.log)
        stream.receiveWindow &+= stream.uncreditedByteCount
        stream.uncreditedByteCount = 0
    }

    /// A stream holds nothing back any more.
    mutating func release(_ stream: HTTP2Stream) {
        heldByteCount = max(0, heldByteCount &- stream.heldByteCount)
        stream.heldByteCount = 0
        let debt = stream.connectionDebt
        stream.connectionDebt = 0
        if debt > 0 { credit(debt) }
    }
}
