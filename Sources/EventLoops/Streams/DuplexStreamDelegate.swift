/// Who owns a stream. Called on the stream's loop, never from inside one of the stream's own
/// members, and never after `close()` or `abort()`. It may do anything to the stream when called.
public protocol DuplexStreamDelegate: AnyObject {
    /// Octets came. The span lives only during the call.
    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>)

    /// The peer will send no more; we may still write. `isClean` is false when a TLS peer ended
    /// without close_notify, so that the end may be somebody else's doing.
    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool)

    /// The peer has ended its direction, or is gone, while reading is paused: `watchForEnd` asked
    /// for that. What it sent before is still to be read, and the end is told again after it.
    func streamPeerDidEnd(_ stream: any DuplexStream)

    /// The queue, having been above the high watermark, fell below the low one: write on.
    func streamDidDrain(_ stream: any DuplexStream)

    /// The stream failed. It is closed already, and this is its last call.
    func stream(_ stream: any DuplexStream, didFail error: StreamError)
}

extension DuplexStreamDelegate {
    /// Waits for the end itself.
    public func streamPeerDidEnd(_ stream: any DuplexStream) {}
}
