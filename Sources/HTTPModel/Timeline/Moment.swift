/// The moments of an exchange that are recorded, in their usual order.
public enum Moment: Int, Sendable, Hashable, CaseIterable {
    /// The client's connection was accepted (first exchange of a connection only).
    case clientConnected
    /// The client's TLS handshake was complete (first exchange of an intercepted connection only).
    case clientTLSDone
    /// The first byte of the request arrived from the client.
    case requestFirstByte
    /// The request head was complete.
    case requestHead
    /// The last byte of the request arrived from the client.
    case requestLastByte
    /// A lookup of the server's name started.
    case dnsStart
    /// The lookup ended.
    case dnsEnd
    /// Connecting to the server started.
    case connectStart
    /// The TCP connection to the server was established.
    case connectEnd
    /// The TLS handshake with the server started.
    case tlsStart
    /// The TLS handshake with the server was complete.
    case tlsEnd
    /// The first byte of the request was passed to the server's connection.
    case sendStart
    /// The last byte of the request was passed to the server's connection.
    case sendEnd
    /// The first byte of the response arrived from the server.
    case responseFirstByte
    /// The final response head was complete.
    case responseHead
    /// The last byte of the response arrived from the server.
    case responseLastByte
    /// The last byte was passed to the client's connection.
    case delivered
    /// The exchange ended, successfully or not.
    case ended
}
