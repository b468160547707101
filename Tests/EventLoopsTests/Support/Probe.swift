import ProxydEventLoops

/// A delegate made of closures, which also keeps what it saw.
final class Probe: DuplexStreamDelegate {
    var received: [UInt8] = []
    var receiveCount = 0
    var keepsBytes = true
    var onReceive: ((any DuplexStream, Span<UInt8>) -> Void)?
    var onEnd: ((any DuplexStream) -> Void)?
    var onPeerEnd: ((any DuplexStream) -> Void)?
    var onDrain: ((any DuplexStream) -> Void)?
    var onFail: ((StreamError) -> Void)?

    var text: String { String(decoding: received, as: UTF8.self) }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        receiveCount += 1
        if keepsBytes { bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) } }
        onReceive?(stream, bytes)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { onEnd?(stream) }
    func streamPeerDidEnd(_ stream: any DuplexStream) { onPeerEnd?(stream) }
    func streamDidDrain(_ stream: any DuplexStream) { onDrain?(stream) }
    func stream(_ stream: any DuplexStream, didFail error: StreamError) { onFail?(error) }
}
