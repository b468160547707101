internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTransport

/// Runs a handshake over a connection to a proxy. Confined to its loop; lives until it ends or is
/// cancelled.
final class ProxyTalk: DuplexStreamDelegate {
    /// The result. Except for `.established`, the connection is closed.
    enum Outcome {
        case established(early: [UInt8])
        case refused(ResponseHead)
        case failed(ProxyError)
    }

    private let stream: any DuplexStream
    /// Whether the server may speak first: its bytes can then arrive together with the proxy's last
    /// response.
    private let takesEarlyOctets: Bool
    private var handshake: any ProxyHandshake
    private var completion: ((Outcome) -> Void)?

    init(
        _ stream: any DuplexStream, _ handshake: any ProxyHandshake, takesEarlyOctets: Bool,
        completion: @escaping (Outcome) -> Void
    ) {
        self.stream = stream
        self.handshake = handshake
        self.takesEarlyOctets = takesEarlyOctets
        self.completion = completion
    }

    /// Sends the first message. From here on the stream keeps its delegate, and so this object,
    /// alive.
    func start() {
        stream.delegate = self
        stream.write(handshake.begin())
    }

    /// Cancels the handshake.
    func cancel() {
        completion = nil
        stream.abort()
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        do throws(ProxyHandshakeError) {
            switch try handshake.receive(bytes) {
            case .needsMoreInput: break
            case .send(let octets): stream.write(octets)
            case .refused(let head): close(.refused(head))
            case .established(let leftover) where leftover.isEmpty || takesEarlyOctets:
                end(.established(early: Array(leftover)))
            // HTTP and TLS servers never speak first: such bytes would be taken for the response.
            case .established: close(.failed(.unexpectedOctets))
            }
        } catch {
            close(.failed(.handshakeFailed(error)))
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        close(.failed(.closedEarly))
    }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        end(.failed(.closedEarly))
    }

    private func close(_ outcome: Outcome) {
        stream.abort()
        end(outcome)
    }

    private func end(_ outcome: Outcome) {
        defer { completion = nil }
        completion?(outcome)
    }
}
