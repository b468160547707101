/// Why a request failed: the kind of error, the phase, the party at fault and the attempt.
///
/// Its text never contains header values or bodies.
public struct ClientError: Error, Sendable {
    /// A single reference keeps results small and errors cheap to copy.
    private let storage: Storage

    private final class Storage: Sendable {
        let kind: Kind
        let phase: Phase
        let fault: Fault
        let message: String
        let attempt: Int
        let underlying: (any Error)?

        init(
            kind: Kind, phase: Phase, fault: Fault, message: String, attempt: Int,
            underlying: (any Error)?
        ) {
            self.kind = kind
            self.phase = phase
            self.fault = fault
            self.message = message
            self.attempt = attempt
            self.underlying = underlying
        }
    }

    /// `phase` and `fault` default to the usual ones of the kind.
    public init(
        _ kind: Kind, phase: Phase? = nil, fault: Fault? = nil, message: String? = nil,
        attempt: Int = 0, underlying: (any Error)? = nil
    ) {
        storage = Storage(
            kind: kind, phase: phase ?? kind.usualPhase, fault: fault ?? kind.usualFault,
            message: message ?? kind.usualMessage, attempt: attempt, underlying: underlying)
    }

    public var kind: Kind { storage.kind }
    public var phase: Phase { storage.phase }
    public var fault: Fault { storage.fault }
    /// One readable line, without secrets.
    public var message: String { storage.message }
    /// The attempt in which the error occurred, counted from 1; 0 before the first.
    public var attempt: Int { storage.attempt }
    /// The error that caused this one, for example from an encoder, a decoder or a closure.
    public var underlying: (any Error)? { storage.underlying }

    func inAttempt(_ attempt: Int) -> ClientError {
        guard self.attempt == 0, attempt > 0 else { return self }
        return ClientError(
            kind, phase: phase, fault: fault, message: message, attempt: attempt,
            underlying: underlying)
    }

    /// Returns a `ClientError` unchanged and wraps any other error as `kind`.
    public static func wrapping(_ error: any Error, as kind: Kind) -> ClientError {
        if let error = error as? ClientError { return error }
        if error is CancellationError { return ClientError(.explicitlyCancelled) }
        return ClientError(kind, underlying: error)
    }
}

extension ClientError: CustomStringConvertible {
    /// `fault phase kind: message`, followed by the text of an underlying error. Decoding and
    /// encoding errors quote values, so only their kind and coding path are included.
    public var description: String {
        let first = "\(fault.rawValue) \(phase.rawValue) \(kind.name): \(message)"
        return underlying.map { "\(first) (\(UnderlyingErrorText.text(of: $0)))" } ?? first
    }
}

extension ClientError {
    /// The phase of the request in which the error occurred.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        case url
        /// Encoding parameters or a body.
        case encode
        case adapt
        /// Waiting for a connection or for the proxy's response.
        case proxy
        case dns
        case connect
        case tls
        case send
        /// Waiting for the response to start.
        case wait
        case receive
        /// Decoding content codings.
        case decode
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
        case network
        /// The server, or data that it sent.
        case server
        /// This library or the machine it runs on.
        case library
    }
}

extension ClientError.URLProblem {
    var message: String {
        switch self {
        case .notAbsolute: "the URL is not absolute: it needs http:// or https:// and a host"
        case .unsupportedScheme: "the URL's scheme is neither http nor https"
        case .badHost: "the URL's host is not valid"
        case .badPort: "the URL's port is not a number from 1 to 65535"
        case .unencodedByte: "the URL contains characters that must be percent-encoded"
        case .userInfo: "the URL contains a user name: use authenticate(username:password:)"
        }
    }
}

extension ClientError.RequestProblem {
    var message: String {
        switch self {
        case .badMethod: "the method is not a token"
        case .badTarget: "the path or query contains characters that must be percent-encoded"
        case .badFieldName: "a header's name is not valid"
        case .badFieldValue(let name): "the value of the header \(name) is not valid"
        case .conflictingFraming: "Content-Length or Transfer-Encoding does not match the body"
        case .fieldOfHTTP1: "a header is only for HTTP/1, and HTTP/2 may be used"
        case .bodyNotAllowed: "a request with this method cannot have a body"
        }
    }
}

extension ClientError.ValidationFailure {
    var message: String {
        switch self {
        case .unacceptableStatusCode(let code): "the status \(code) is not acceptable"
        case .unacceptableContentType(let acceptable, let actual):
            "the content type \(actual) is not one of \(acceptable.joined(separator: ", "))"
        case .missingContentType(let acceptable):
            "there is no content type; expected \(acceptable.joined(separator: ", "))"
        case .custom: "a validator refused the response"
        }
    }
}

extension ClientError.SerializationFailure {
    var message: String {
        switch self {
        case .inputDataNilOrZeroLength: "the response has no body"
        case .stringSerializationFailed(let charset): "the body is not text in \(charset)"
        case .jsonSerializationFailed: "the body is not JSON"
        case .propertyListSerializationFailed: "the body is not a property list"
        case .xmlSerializationFailed: "the body is not XML"
        case .decodingFailed: "the body could not be decoded"
        case .invalidEmptyResponse(let type): "the response is empty, and \(type) cannot be"
        case .noSerializerMatched: "no serializer could read the body"
        case .custom: "a serializer failed"
        case .inputFileReadFailed: "the downloaded file could not be read"
        }
    }
}

extension RedirectRefusal {
    var message: String {
        switch self {
        case .badLocation: "the server redirects to an invalid URL"
        case .userInfo: "the server redirects to a URL with a user name"
        case .unsupportedScheme: "the server redirects to a URL that is neither http nor https"
        case .loop: "the redirects form a loop"
        case .leavesTLS: "the server redirects from https to http"
        case .tooMany: "there are more redirects than allowed"
        }
    }
}

public enum UnderlyingErrorText {
    /// The error's description; for decoding and encoding errors, only the kind and the coding
    /// path.
    public static func text(of error: any Error) -> String {
        switch error {
        case let error as DecodingError: decoding(error)
        case EncodingError.invalidValue(_, let context):
            "EncodingError.invalidValue" + place(context.codingPath)
        default: "\(error)"
        }
    }

    private static func decoding(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context):
            "DecodingError.typeMismatch, wanted \(type)," + place(context.codingPath)
        case .valueNotFound(let type, let context):
            "DecodingError.valueNotFound, wanted \(type)," + place(context.codingPath)
        case .keyNotFound(let key, let context):
            "DecodingError.keyNotFound, wanted \(key.stringValue)," + place(context.codingPath)
        case .dataCorrupted(let context): "DecodingError.dataCorrupted" + place(context.codingPath)
        @unknown default: "DecodingError"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let keys = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return " at " + (keys.isEmpty ? "the top" : keys.joined(separator: "."))
    }
}
