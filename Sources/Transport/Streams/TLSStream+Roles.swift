public import ProxydEventLoops
public import ProxydTLS

extension TLSStream {
    /// Creates a stream to a client, which has already sent `alreadyReceived` (its ClientHello).
    ///
    /// `onHandshake` receives the session's facts or the error; after an error the transport stays
    /// open, without a delegate and with the alert in its queue, and the caller must close it.
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

    /// Creates a stream to a server. `port` distinguishes servers of one name for session
    /// resumption. `onHandshake` is as in the other initializer.
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
