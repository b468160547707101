extension ClientError {
    /// The phase of the request in which the error occurred.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Parsing the URL.
        case url
        /// Encoding parameters or a body.
        case encode
        /// Calling the adapters.
        case adapt
        /// Waiting for a connection or for the proxy's response.
        case proxy
        /// Looking up the host name.
        case dns
        /// Establishing the connection.
        case connect
        /// The TLS handshake.
        case tls
        /// Sending the request.
        case send
        /// Waiting for the response to start.
        case wait
        /// Receiving the response.
        case receive
        /// Decoding content codings.
        case decode
        /// Calling the validators.
        case validate
        /// Converting the body to a value.
        case serialize
        /// Writing to files.
        case store
        /// Calling retriers, following redirects and answering challenges.
        case proceed
    }

    /// The party that caused the error.
    public enum Fault: String, Sendable, Hashable, CaseIterable {
        /// The caller: a URL, a header, a body or a cancellation.
        case caller
        /// The network between the client and the server.
        case network
        /// The server, or data that it sent.
        case server
        /// This library or the machine it runs on.
        case library
    }
}
