/// A text of an exchange that a filter can look at, one a row.
public enum FilterTextColumn: Sendable, Hashable, CaseIterable {
    /// The request method.
    case method
    /// `http` or `https`.
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
    /// The server's address and port.
    case server
    /// The client's program name.
    case process
    /// Why it failed, as in `list --json`.
    case error
    /// Why what the server sent did not go on.
    case refused
    /// What was mended in the response, one repair a line.
    case repaired
    /// `active`, `complete`, `failed` or `tunnel`.
    case state
    /// What a person wrote about it.
    case note
    /// The protocol an Upgrade switched to.
    case upgradedTo
    /// What it spoke: `h1`, `h2`, `h2c`, `ws`, `grpc`, `grpcweb`, `sse` or `tunnel`.
    case spokenProtocol
    /// The code that a stream of HTTP/2 was reset with, by its name in RFC 9113 §7.
    case reset
    /// The service that gRPC calls, out of the path.
    case grpcService
    /// The method that gRPC calls, out of the path.
    case grpcMethod
    /// How gRPC ended, as `GRPCStatus.name`.
    case grpcStatus
}

/// A number of an exchange that a filter can look at.
public enum FilterNumberColumn: Sendable, Hashable, CaseIterable {
    /// The exchange's number.
    case id
    /// The effective port.
    case port
    /// The status code the client got.
    case status
    /// Octets of the response body that passed.
    case responseSize
    /// Octets of the request body that passed.
    case requestSize
    /// Nanoseconds from start to end.
    case duration
    /// When it began, nanoseconds since 1970.
    case started
    /// The number of the exchange it repeats.
    case replayOf
    /// 1 where pinned; 0 or nil where not.
    case pinned
    /// The number of the client's stream of HTTP/2.
    case stream
    /// The request's version, as `HTTPVersion.number`.
    case httpVersion
    /// The number of data messages; nil where it can have none.
    case messageCount
    /// The same of a WebSocket.
    case webSocketMessageCount
    /// The number in `grpc-status`.
    case grpcStatus
}

/// One of an exchange's two messages.
public enum FilterSide: Sendable, Hashable, CaseIterable {
    /// The request.
    case request
    /// The response.
    case response
}
