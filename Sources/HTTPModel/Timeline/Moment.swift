/// The moments of an exchange that are worth knowing, in the order they usually come.
public enum Moment: Int, Sendable, Hashable, CaseIterable {
    /// The client's connection was accepted (first exchange of a connection only).
    case clientConnected
    /// The client's TLS handshake was done (first exchange of an intercepted connection only).
    case clientTLSDone
    /// First octet of the request came from the client.
    case requestFirstByte
    /// The request head was complete.
    case requestHead
    /// The request's last octet came from the client.
    case requestLastByte
    /// A look-up of the server's name began.
    case dnsStart
    /// The look-up ended.
    case dnsEnd
    /// Connecting to the server began.
    case connectStart
    /// The TCP connection to the server stood.
    case connectEnd
    /// The TLS handshake with the server began.
    case tlsStart
    /// The TLS handshake with the server was done.
    case tlsEnd
    /// The first octet of the request was handed to the server's connection.
    case sendStart
    /// The last octet of the request was handed to the server's connection.
    case sendEnd
    /// First octet of the response came from the server.
    case responseFirstByte
    /// The final response head was complete.
    case responseHead
    /// The response's last octet came from the server.
    case responseLastByte
    /// The last octet was handed to the client's connection.
    case delivered
    /// The exchange was over, however it ended.
    case ended
}
