extension ClientError {
    /// What was being done when it went wrong.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Reading the URL.
        case url
        /// Encoding parameters or a body.
        case encode
        /// Asking adapters.
        case adapt
        /// Waiting for a turn, or for a proxy's answer.
        case proxy
        /// Looking the name up.
        case dns
        /// Connecting.
        case connect
        /// The TLS handshake.
        case tls
        /// Sending the request.
        case send
        /// Waiting for the response.
        case wait
        /// Receiving the response.
        case receive
        /// Undoing content codings.
        case decode
        /// Asking validators.
        case validate
        /// Turning the body into a value.
        case serialize
        /// Writing to files.
        case store
        /// Asking retriers, following redirects, answering challenges.
        case proceed
    }

    /// Whose fault it is.
    public enum Fault: String, Sendable, Hashable, CaseIterable {
        /// Who asked for it: a URL, a header, a body, a cancellation.
        case caller
        /// The way to the server.
        case network
        /// The server, or what it sent.
        case server
        /// This library or the machine it runs on.
        case library
    }
}
