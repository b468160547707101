package import ProxydEventLoops
package import ProxydHTTPModel

/// Runs a handshake over a connection to a proxy. Confined to its loop; lives until it ends or is
/// cancelled.
package final class ProxyTalk: DuplexStreamDelegate {
    /// The result. Except for `.established`, the connection is closed.
    package enum Outcome {
        /// The connection leads to the server, which has sent these bytes.
        case established(early: [UInt8])
        /// The proxy refused with this response.
        case refused(ResponseHead)
        /// There is no connection, for another reason.
        case failed(Failure)
    }

    /// Why there is no connection to the server.
    package enum Failure: Sendable {
        /// The proxy closed or broke the connection before it had answered.
        case closedEarly
        /// The proxy sent a refusal other than an HTTP response, or violated the protocol.
        case handshake(ProxyHandshakeError)
        /// Bytes arrived as if from the server before anything was sent to it.
        case unexpectedBytes
    }

    private let stream: any DuplexStream
    /// Whether the server may speak first: its bytes can then arrive together with the proxy's last
    /// response.
    private let takesEarlyBytes: Bool
    private var handshake: any ProxyHandshake
    private var completion: ((Outcome) -> Void)?

    /// Prepares a handshake over a connection; `completion` is called once.
    package init(
        _ stream: any DuplexStream, _ handshake: any ProxyHandshake, takesEarlyBytes: Bool,
        completion: @escaping (Outcome) -> Void
    ) {
        self.stream = stream
        self.handshake = handshake
        self.takesEarlyBytes = takesEarlyBytes
        self.completion = completion
    }

    /// Sends the first message. From here on the stream keeps its delegate, and so this object,
    /// alive.
    package func start() {
        stream.delegate = self
        stream.write(handshake.begin())
    }

    /// Cancels the handshake.
    package func cancel() {
        completion = nil
        stream.abort()
    }

    /// The proxy has sent something.
    package func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        do throws(ProxyHandshakeError) {
            switch try handshake.receive(bytes) {
            case .needsMoreInput: break
            case .send(let bytes): stream.write(bytes)
            case .refused(let head): close(.refused(head))
            case .established(let leftover) where leftover.isEmpty || takesEarlyBytes:
                end(.established(early: Array(leftover)))
            // TLS servers never speak first: such bytes would be taken for the response.
            case .established: close(.failed(.unexpectedBytes))
            }
        } catch {
            close(.failed(.handshake(error)))
        }
    }

    /// The proxy has ended the connection.
    package func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        close(.failed(.closedEarly))
    }

    /// Does nothing: the messages are short.
    package func streamDidDrain(_ stream: any DuplexStream) {}

    /// The connection broke.
    package func stream(_ stream: any DuplexStream, didFail error: StreamError) {
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
