public import ProxydEventLoops
public import ProxydTLS

extension TLSStream {
    /// A stream towards a client, which has sent `alreadyReceived` (its hello) before.
    ///
    /// `onHandshake` gets the facts, or why it failed; then the transport is left open, without a
    /// delegate and with the alert in its queue, for the caller to close.
    public convenience init(
        server context: TLSServerContext, over transport: any DuplexStream,
        alreadyReceived: [UInt8] = [], alpn: [String] = ["http/1.1"], handshakeTimeoutNs: Int64,
        onHandshake: @escaping (Result<TLSFacts, TLSError>) -> Void
    ) {
        self.init(
            over: transport, alreadyReceived: alreadyReceived,
            handshakeTimeoutNs: handshakeTimeoutNs,
            makeSession: { () throws(TLSError) in try TLSSession(server: context, alpn: alpn) },
            onHandshake: onHandshake)
    }

    /// A stream towards a server. `port` tells apart servers of one name for session resumption.
    /// `onHandshake` as above.
    public convenience init(
        client context: TLSClientContext, policy: TLSPolicy, port: UInt16,
        over transport: any DuplexStream, handshakeTimeoutNs: Int64? = nil,
        onHandshake: @escaping (Result<TLSFacts, TLSError>) -> Void
    ) {
        self.init(
            over: transport, alreadyReceived: [], handshakeTimeoutNs: handshakeTimeoutNs,
            makeSession: { () throws(TLSError) in
                try TLSSession(client: context, policy: policy, port: port)
            },
            onHandshake: onHandshake)
    }
}
