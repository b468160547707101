public import ProxydContentCoding
public import ProxydHTTPModel

extension ClientError {
    /// The kind of error.
    public enum Kind: Sendable, Hashable {
        /// The text is not a URL that can be requested.
        case invalidURL(URLProblem)
        /// The request cannot be written as HTTP.
        case invalidRequest(RequestProblem)
        /// The body could not be read from its source.
        case bodyUnavailable
        /// The body can be read only once and would have to be sent again.
        case bodyNotReplayable
        /// The body is shorter or longer than declared; both lengths are in bytes.
        case bodyLengthMismatch(declared: Int64, actual: Int64)
        /// Parameters could not be encoded.
        case parameterEncodingFailed
        /// A multipart body could not be created.
        case multipartEncodingFailed
        /// An adapter threw.
        case requestAdaptationFailed
        /// A retrier replaced the request's error with its own.
        case requestRetryFailed
        /// `cancel()` was called.
        case explicitlyCancelled
        /// The session was released while the request was running.
        case sessionDeinitialized
        /// The session was shut down.
        case sessionInvalidated
        /// A time limit expired.
        case timedOut(TimeLimit)
        /// Connecting, sending or receiving failed.
        case network(ExchangeFailure.Kind)
        /// The body is larger than the request accepts; the limit is in bytes.
        case responseTooLarge(limit: Int)
        /// The content codings could not be decoded.
        case decodingFailed(ContentCodingError)
        /// The response failed validation.
        case responseValidationFailed(ValidationFailure)
        /// The body could not be converted to the requested type.
        case responseSerializationFailed(SerializationFailure)
        /// A file system operation failed.
        case fileSystem(FileProblem)
        /// A redirect must not be followed.
        case redirectFailed(RedirectRefusal)
        /// The session's own rules rejected the server's certificate.
        case serverTrustEvaluationFailed
        /// The proxy refused the request or could not be used.
        case proxyFailed
        /// A captured exchange cannot be sent again, or not as edited.
        case replayRefused(ReplayRefusal)
        /// A WebSocket could not be opened, or did not end normally.
        case webSocketFailed(WebSocketFailure)
        /// A gRPC call ended with a status other than OK.
        case rpcFailed(RPCStatus)
        /// A message of a stream is larger than the request accepts; the limit is in bytes.
        case messageTooLarge(limit: Int)
        /// The requested feature is not supported.
        case unsupported
    }

    /// The time limit that expired.
    public enum TimeLimit: String, Sendable, Hashable {
        /// DNS lookup, connecting and the TLS handshake together.
        case connect
        /// No byte was sent or received for too long.
        case idle
        /// The whole request, including all attempts and the pauses between them.
        case total
        /// Waiting for a connection while all others to the host were busy.
        case queue
    }

    /// What is wrong with a URL.
    public enum URLProblem: String, Sendable, Hashable {
        /// The text is empty or has no `://`.
        case notAbsolute
        /// The scheme is neither http nor https.
        case unsupportedScheme
        /// There is no host, or it contains bytes that are not allowed in a host.
        case badHost
        /// The port is not a number from 1 to 65535.
        case badPort
        /// A space, a control byte or a byte above 0x7F that should be percent-encoded.
        case unencodedByte
        /// The URL has a user name or password, which a request must not carry in its URL.
        case userInfo
    }

    /// What is wrong with a request.
    public enum RequestProblem: Sendable, Hashable {
        /// The method is not a token.
        case badMethod
        /// The path or query contains bytes that are not allowed in a request line.
        case badTarget
        /// A field name is not a token.
        case badFieldName
        /// A field value contains a line break or another control byte, or starts or ends with
        /// white space.
        case badFieldValue(name: String)
        /// Content-Length or Transfer-Encoding contradicts the body.
        case conflictingFraming
        /// A connection-specific field of HTTP/1, which HTTP/2 does not allow (RFC 9113 §8.2.2).
        case fieldOfHTTP1
        /// The request has a body, but its method must not have one (RFC 9110 §9.3.8).
        case bodyNotAllowed
    }

    /// Why a response failed validation.
    public enum ValidationFailure: Sendable, Hashable {
        /// The status is not one of the acceptable ones.
        case unacceptableStatusCode(code: Int)
        /// The content type is not one of the acceptable ones.
        case unacceptableContentType(acceptable: [String], actual: String)
        /// The response has no content type.
        case missingContentType(acceptable: [String])
        /// The caller's own validator threw an error; see `underlying`.
        case custom
    }

    /// Why a body could not be converted to a value.
    public enum SerializationFailure: Sendable, Hashable {
        /// The body is missing or empty, which is not acceptable here.
        case inputDataNilOrZeroLength
        /// The bytes are not valid text in the charset.
        case stringSerializationFailed(charset: String)
        /// The body is not JSON.
        case jsonSerializationFailed
        /// The body is not a property list.
        case propertyListSerializationFailed
        /// The body is not XML.
        case xmlSerializationFailed
        /// The decoder threw an error; see `underlying`.
        case decodingFailed
        /// The response is empty, and the type has no empty value.
        case invalidEmptyResponse(type: String)
        /// None of several serializers accepted the response.
        case noSerializerMatched
        /// The caller's own serializer threw an error; see `underlying`.
        case custom
        /// The downloaded file could not be read.
        case inputFileReadFailed
    }

    /// The file operation that failed.
    public enum FileProblem: String, Sendable, Hashable {
        /// Creating or writing the temporary file.
        case writingTemporaryFile
        /// Moving the file to its destination.
        case moving
        /// Creating the directories of the destination.
        case creatingDirectories
        /// Removing an existing file at the destination.
        case removingPrevious
        /// Reading the file.
        case reading
    }
}
