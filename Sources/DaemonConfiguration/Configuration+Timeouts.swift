extension Configuration {
    /// How long anything may take.
    package struct Timeouts: Sendable, Equatable {
        /// From a request's first octet to its head's last, in seconds.
        package var requestHeadSeconds = 10
        /// A client's or server's TLS handshake, in seconds.
        package var tlsHandshakeSeconds = 10
        /// A client connection between two requests, in seconds.
        package var clientIdleSeconds = 75
        /// A name look-up, in seconds.
        package var resolveSeconds = 5
        /// All attempts to connect to one server, in seconds.
        package var connectSeconds = 10
        /// When a client has ended its side: until its response begins, in milliseconds.
        package var halfClosedMilliseconds = 650
        /// From the end of a request to its response's head, in seconds; 0 for ever.
        package var responseHeadSeconds = 300
        /// A pause within a body, in seconds; 0 for ever.
        package var bodyIdleSeconds = 0
        /// A tunnel in which nothing moves, in seconds; 0 for ever.
        package var tunnelIdleSeconds = 7_200
        /// A tunnel in which nothing moves when one side has ended, in seconds; 0 for as long as
        /// in one of which none has.
        package var halfClosedTunnelSeconds = 300
        /// A pooled connection that nobody uses, in seconds.
        package var upstreamIdleSeconds = 55
        /// How long a tunnel's first octets may leave open what is spoken before it is relayed
        /// unread, in milliseconds.
        package var tunnelPeekMilliseconds = 300
        /// How long exchanges may go on after SIGTERM, in seconds.
        package var shutdownGraceSeconds = 10
    }
}
