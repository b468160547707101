public import ProxydHTTPModel

/// Flow control for received data (RFC 9113 §5.2).
extension HTTP2Connection {
    /// Pauses or resumes a stream. While it is paused because its reader is slow, its window is not
    /// enlarged.
    public mutating func setReceivingPaused(_ id: StreamID, _ isPaused: Bool) {
        guard let stream = streams.find(id), stream.isReceivingPaused != isPaused else { return }
        stream.isReceivingPaused = isPaused
        guard !isPaused else { return }
        release(stream)
        giveBack(stream)
    }

    /// Accounts for body bytes that were received and passed on.
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

    /// Accounts for received bytes that carry no data, such as padding, or data that is discarded:
    /// they need no reader.
    mutating func creditIdle(_ count: Int, of stream: HTTP2Stream) {
        guard count > 0 else { return }
        credit(count)
        stream.uncreditedByteCount &+= count
        if !stream.isReceivingPaused { giveBack(stream) }
    }

    /// Adds to the connection's window; WINDOW_UPDATE is sent once half the window has been used.
    mutating func credit(_ count: Int) {
        uncreditedByteCount &+= count
        guard uncreditedByteCount >= max(options.windowByteCount, 65_535) / 2, !isFailed else {
            return
        }
        writeWindowUpdate(0, by: uncreditedByteCount, in: connectionLog)
        receiveWindow &+= uncreditedByteCount
        uncreditedByteCount = 0
    }

    /// Sends WINDOW_UPDATE for a stream once half its window has been used.
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

    /// Stops counting a stream's bytes as held back.
    mutating func release(_ stream: HTTP2Stream) {
        heldByteCount = max(0, heldByteCount &- stream.heldByteCount)
        stream.heldByteCount = 0
        let debt = stream.connectionDebt
        stream.connectionDebt = 0
        if debt > 0 { credit(debt) }
    }
}
