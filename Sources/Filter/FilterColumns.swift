/// A text column of an exchange that a filter can test; each exchange has at most one value.
public enum FilterTextColumn: Sendable, Hashable, CaseIterable {
    /// The request method.
    case method
    /// `http` or `https`; `tunnel` for CONNECT.
    case scheme
    /// The host as written.
    case host
    /// The path as written.
    case path
    /// The query as written, without `?`.
    case query
    /// The whole URL, as in `list --json`.
    case url
    /// The request's content type.
    case requestType
    /// The response's content type.
    case responseType
    /// The client's address and port.
    case client
    /// The client's address and port in a PROXY header.
    case namedClient
    /// The server's address and port.
    case server
    /// The client's program name.
    case process
    /// The user as whom the client authenticated at the proxy.
    case user
    /// The listener that the client connected to.
    case listener
    /// The upstream proxy through which the server was reached.
    case upstream
    /// Why the exchange failed, as in `list --json`.
    case error
    /// Why the proxy did not forward what the server sent.
    case refused
    /// The repairs made to the response, one per line.
    case repaired
    /// `active`, `complete`, `failed` or `tunnel`.
    case state
    /// The user's note on the exchange.
    case note
    /// The protocol an Upgrade switched to.
    case upgradedTo
    /// The protocol in use: `h1`, `h2`, `h2c`, `ws`, `grpc`, `grpcweb`, `sse` or `tunnel`.
    case spokenProtocol
    /// The error code of the RST_STREAM frame, by its name in RFC 9113 §7.
    case reset
    /// The gRPC service, taken from the path.
    case grpcService
    /// The gRPC method, taken from the path.
    case grpcMethod
    /// The status of the gRPC call, as `GRPCStatus.name`.
    case grpcStatus
    /// The name of the store that recorded the exchange; nil in that store itself.
    case store
}

/// A numeric column of an exchange that a filter can test.
public enum FilterNumberColumn: Sendable, Hashable, CaseIterable {
    /// The exchange's number in the store that recorded it.
    case id
    /// The effective port.
    case port
    /// The status code that the client received.
    case status
    /// The status code that the server sent; nil if the client received the same.
    case receivedStatus
    /// The number of bytes of the response body that were transferred.
    case responseSize
    /// The number of bytes of the request body that were transferred.
    case requestSize
    /// The time from start to end without the time in holds, in nanoseconds.
    case duration
    /// How long messages were held, in nanoseconds; nil if they were not.
    case held
    /// The start time, in nanoseconds since 1970.
    case started
    /// The number of the exchange that this one replays.
    case replayOf
    /// 1 if pinned; 0 or nil if not.
    case pinned
    /// The number of the HTTP/2 stream on the client side.
    case stream
    /// The request's version, as `HTTPVersion.number`.
    case httpVersion
    /// The number of data messages; nil if the exchange cannot have any.
    case messageCount
    /// The number of data messages of a WebSocket; nil for other exchanges.
    case webSocketMessageCount
    /// The numeric value of `grpc-status`.
    case grpcStatus
}

/// One of the two messages of an exchange.
public enum FilterSide: Sendable, Hashable, CaseIterable {
    /// The request.
    case request
    /// The response.
    case response
}
