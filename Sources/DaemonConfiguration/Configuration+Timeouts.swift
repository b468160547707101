extension Configuration {
    /// Time limits.
    package struct Timeouts: Sendable, Equatable {
        /// From the first byte of a request to the last of its head, in seconds.
        package var requestHeadSeconds = 10
        /// A client's or server's TLS handshake, in seconds.
        package var tlsHandshakeSeconds = 10
        /// How long a client connection may be idle between requests, in seconds.
        package var clientIdleSeconds = 75
        /// The limit of a name lookup, in seconds.
        package var resolveSeconds = 5
        /// All attempts to connect to one server together, in seconds.
        package var connectSeconds = 10
        /// How long a response may take to start after its client has ended its side, in
        /// milliseconds.
        package var halfClosedMilliseconds = 650
        /// From the end of a request to the head of its response, in seconds; 0 for no limit.
        package var responseHeadSeconds = 300
        /// The longest pause within a body, in seconds; 0 for no limit.
        package var bodyIdleSeconds = 0
        /// How long a tunnel may be idle, in seconds; 0 for no limit.
        package var tunnelIdleSeconds = 7_200
        /// How long a tunnel may be idle after one side has ended, in seconds; 0 for the same limit
        /// as before that.
        package var halfClosedTunnelSeconds = 300
        /// How long an unused pooled connection is kept, in seconds.
        package var upstreamIdleSeconds = 55
        /// How long the proxy waits for the first bytes of a tunnel to identify its protocol before
        /// it relays the tunnel unread, in milliseconds.
        package var tunnelPeekMilliseconds = 300
        /// How long exchanges may continue after SIGTERM, in seconds.
        package var shutdownGraceSeconds = 10
    }
}
