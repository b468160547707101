internal import ProxydContentCoding
internal import ProxydHTTPModel

/// The phase, fault and so on that a kind of error usually has.
extension ClientError.Kind {
    var usualPhase: ClientError.Phase {
        switch self {
        case .invalidURL: .url
        case .invalidRequest, .bodyUnavailable, .parameterEncodingFailed,
            .multipartEncodingFailed, .replayRefused, .unsupported:
            .encode
        case .bodyNotReplayable, .bodyLengthMismatch: .send
        case .requestAdaptationFailed: .adapt
        case .requestRetryFailed, .redirectFailed: .proceed
        case .explicitlyCancelled, .sessionDeinitialized, .sessionInvalidated: .wait
        case .timedOut(let limit): limit == .connect ? .connect : .wait
        case .network(let kind): kind.usualPhase
        case .responseTooLarge, .webSocketFailed, .rpcFailed, .messageTooLarge: .receive
        case .decodingFailed: .decode
        case .responseValidationFailed: .validate
        case .responseSerializationFailed: .serialize
        case .fileSystem: .store
        case .serverTrustEvaluationFailed: .tls
        case .proxyFailed: .proxy
        }
    }

    var usualFault: ClientError.Fault {
        switch self {
        case .invalidURL, .invalidRequest, .bodyUnavailable, .bodyNotReplayable,
            .bodyLengthMismatch, .parameterEncodingFailed, .multipartEncodingFailed,
            .requestAdaptationFailed, .requestRetryFailed, .explicitlyCancelled,
            .sessionDeinitialized, .sessionInvalidated, .replayRefused, .unsupported:
            .caller
        case .timedOut(.queue), .fileSystem: .library
        case .timedOut(.connect), .proxyFailed: .network
        case .webSocketFailed(let failure): failure.isOurs ? .caller : .server
        case .timedOut, .responseTooLarge, .rpcFailed, .messageTooLarge, .decodingFailed,
            .responseValidationFailed,
            .responseSerializationFailed, .redirectFailed, .serverTrustEvaluationFailed:
            .server
        case .network(let kind): kind.usualFault
        }
    }

    /// The name of the case, for logs.
    var name: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }

    var usualMessage: String {
        switch self {
        case .invalidURL(let problem): problem.message
        case .invalidRequest(let problem): problem.message
        case .bodyUnavailable: "the request's body could not be read"
        case .bodyNotReplayable:
            "the request would have to be sent again, and its body can be read only once"
        case .bodyLengthMismatch(let declared, let actual):
            "the body was declared to have \(declared) bytes and has \(actual)"
        case .parameterEncodingFailed: "the parameters could not be encoded"
        case .multipartEncodingFailed: "the multipart body could not be put together"
        case .requestAdaptationFailed: "an adapter failed"
        case .requestRetryFailed: "a retrier failed"
        case .explicitlyCancelled: "the request was cancelled"
        case .sessionDeinitialized: "the session was deallocated: keep it while requests run"
        case .sessionInvalidated: "the session was shut down"
        case .timedOut(let limit): "the \(limit.rawValue) time limit ran out"
        case .network(let kind): "the exchange failed: \(kind.rawValue)"
        case .responseTooLarge(let limit): "the response is larger than \(limit) bytes"
        case .decodingFailed(let error): error.description
        case .responseValidationFailed(let failure): failure.message
        case .responseSerializationFailed(let failure): failure.message
        case .fileSystem(let problem): "the file system refused: \(problem.rawValue)"
        case .redirectFailed(let problem): problem.message
        case .serverTrustEvaluationFailed: "the server's certificate is not trusted"
        case .proxyFailed: "the proxy could not be used"
        case .replayRefused(let refusal): "cannot be replayed: \(refusal.message)"
        case .webSocketFailed(let failure): failure.message
        case .rpcFailed(let status): "the call failed: \(status.code.name)"
        case .messageTooLarge(let limit): "a message is larger than \(limit) bytes"
        case .unsupported: "this is not supported"
        }
    }
}

extension ExchangeFailure.Kind {
    fileprivate var usualPhase: ClientError.Phase {
        switch self {
        case .nameResolution: .dns
        case .connectionRefused, .connectFailed, .loop, .refused, .blocked, .overloaded: .connect
        case .tlsHandshake, .certificate: .tls
        case .malformedRequest: .send
        case .timedOut, .closedEarly, .shutdown: .wait
        case .malformedResponse, .limitExceeded: .receive
        }
    }

    fileprivate var usualFault: ClientError.Fault {
        switch self {
        case .nameResolution, .connectFailed, .timedOut: .network
        case .connectionRefused, .closedEarly, .tlsHandshake, .certificate, .malformedResponse,
            .limitExceeded:
            .server
        case .overloaded, .shutdown: .library
        case .malformedRequest, .loop, .refused, .blocked: .caller
        }
    }
}
