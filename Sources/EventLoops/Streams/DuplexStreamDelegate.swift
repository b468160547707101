/// The owner of a stream. Called on the stream's loop, never from within one of the stream's own
/// members, and never after `close()` or `abort()`. It may do anything to the stream when called.
public protocol DuplexStreamDelegate: AnyObject {
    /// Bytes arrived. The span is valid only during the call.
    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>)

    /// The peer will send no more; writing is still possible. `isClean` is false if a TLS peer
    /// ended without close_notify, so that an attacker may have truncated the connection.
    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool)

    /// The peer has ended its direction, or is gone, while reading is paused; called after
    /// `watchForEnd`. The bytes that it sent before can still be read, and the end is reported
    /// again after them.
    func streamPeerDidEnd(_ stream: any DuplexStream)

    /// The queue, having been above the high watermark, fell below the low one: write on.
    func streamDidDrain(_ stream: any DuplexStream)

    /// The stream failed. It is already closed, and this is its last call.
    func stream(_ stream: any DuplexStream, didFail error: StreamError)
}

extension DuplexStreamDelegate {
    /// Does nothing: the end is reported again when it is read.
    public func streamPeerDidEnd(_ stream: any DuplexStream) {}
}
