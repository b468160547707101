public import ProxydContentCoding
public import ProxydHTTPModel

extension ClientError {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The text is no URL that can be requested.
        case invalidURL(URLProblem)
        /// The request cannot be written as HTTP.
        case invalidRequest(RequestProblem)
        /// The body could not be read from where it was to come from.
        case bodyUnavailable
        /// The body can be read only once and would have to be sent again.
        case bodyNotReplayable
        /// The body is shorter or longer than was declared; bytes.
        case bodyLengthMismatch(declared: Int64, actual: Int64)
        /// Parameters could not be encoded.
        case parameterEncodingFailed
        /// A multipart body could not be put together.
        case multipartEncodingFailed
        /// An adapter threw.
        case requestAdaptationFailed
        /// A retrier put its own error in place of the request's.
        case requestRetryFailed
        /// `cancel()` was called.
        case explicitlyCancelled
        /// The session was let go of while the request ran.
        case sessionDeinitialized
        /// The session was shut down.
        case sessionInvalidated
        /// A time limit ran out.
        case timedOut(TimeLimit)
        /// Connecting, sending or receiving failed.
        case network(ExchangeFailure.Kind)
        /// The body is larger than the request accepts; bytes.
        case responseTooLarge(limit: Int)
        /// The content codings could not be undone.
        case decodingFailed(ContentCodingError)
        /// The response did not stand validation.
        case responseValidationFailed(ValidationFailure)
        /// The body could not be turned into the value wanted.
        case responseSerializationFailed(SerializationFailure)
        /// The file system refused something.
        case fileSystem(FileProblem)
        /// A redirect must not be followed.
        case redirectFailed(RedirectRefusal)
        /// The server's certificate was refused by the session's own rules.
        case serverTrustEvaluationFailed
        /// The proxy refused, or could not be used.
        case proxyFailed
        /// A captured exchange cannot be sent again, or not as edited.
        case replayRefused(ReplayRefusal)
        /// A WebSocket was not opened, or did not end well.
        case webSocketFailed(WebSocketFailure)
        /// A call of gRPC ended with another status than OK.
        case rpcFailed(RPCStatus)
        /// A message of a stream has more bytes than the request accepts.
        case messageTooLarge(limit: Int)
        /// What was asked for is not offered.
        case unsupported
    }

    /// A time limit.
    public enum TimeLimit: String, Sendable, Hashable {
        /// Look-up, connecting and TLS together.
        case connect
        /// No byte for too long.
        case idle
        /// The whole request, attempts and pauses included.
        case total
        /// Waiting for a connection while others to the host were busy.
        case queue
    }

    /// What is wrong with a URL.
    public enum URLProblem: String, Sendable, Hashable {
        /// There is nothing, or no `://`.
        case notAbsolute
        /// Neither http nor https.
        case unsupportedScheme
        /// No host, or one with bytes that no host has.
        case badHost
        /// No number from 1 to 65535.
        case badPort
        /// A space, a control byte or a byte above 0x7F that should be percent-encoded.
        case unencodedOctet
        /// A user name or password, which a request must not carry in its URL.
        case userInfo
    }

    /// What is wrong with a request.
    public enum RequestProblem: Sendable, Hashable {
        /// The method is no token.
        case badMethod
        /// The path or query holds bytes that no request line can.
        case badTarget
        /// A field's name is no token.
        case badFieldName
        /// A field's value holds a line break, another control byte, or white space at an end.
        case badFieldValue(name: String)
        /// Content-Length or Transfer-Encoding speak against the body.
        case conflictingFraming
        /// A field of the connection, as HTTP/1 has it, where HTTP/2 may be spoken
        /// (RFC 9113 §8.2.2).
        case fieldOfHTTP1
        /// A method that cannot carry a body has one (RFC 9110 §9.3.8).
        case bodyNotAllowed
    }

    /// Why a response did not stand validation.
    public enum ValidationFailure: Sendable, Hashable {
        /// The status is none of the acceptable ones.
        case unacceptableStatusCode(code: Int)
        /// The content type is none of the acceptable ones.
        case unacceptableContentType(acceptable: [String], actual: String)
        /// There is no content type.
        case missingContentType(acceptable: [String])
        /// A validator of the caller's threw; see `underlying`.
        case custom
    }

    /// Why a body could not be turned into a value.
    public enum SerializationFailure: Sendable, Hashable {
        /// There is no body, and none is not acceptable.
        case inputDataNilOrZeroLength
        /// The bytes are no text in the charset.
        case stringSerializationFailed(charset: String)
        /// No JSON.
        case jsonSerializationFailed
        /// No property list.
        case propertyListSerializationFailed
        /// No XML.
        case xmlSerializationFailed
        /// The decoder threw; see `underlying`.
        case decodingFailed
        /// An empty response, and the type has no empty value.
        case invalidEmptyResponse(type: String)
        /// None of several serializers took it.
        case noSerializerMatched
        /// A serializer of the caller's threw; see `underlying`.
        case custom
        /// The downloaded file could not be read.
        case inputFileReadFailed
    }

    /// What the file system refused.
    public enum FileProblem: String, Sendable, Hashable {
        /// Making or writing the temporary file.
        case writingTemporaryFile
        /// Moving it to its destination.
        case moving
        /// Making the directories of the destination.
        case creatingDirectories
        /// Removing what was at the destination.
        case removingPrevious
        /// Reading.
        case reading
    }
}
