public import ProxydHTTPModel

/// An event in the life of a request.
public enum RequestEvent: Sendable {
    /// The request was resumed, for the first time or after a pause.
    case didResume
    /// The request was suspended.
    case didSuspend
    /// The request was cancelled.
    case didCancel
    /// All adapters have run; this request will be sent.
    case didAdapt(HTTPRequest)
    /// An attempt starts with this head; attempts are counted from 1.
    case willSend(RequestHead, attempt: Int)
    /// The head of a response has arrived.
    case didReceive(ResponseHead)
    /// The progress of sending the body, in bytes.
    case didSend(TransferProgress)
    /// The progress of receiving the response, in bytes.
    case didReceiveBody(TransferProgress)
    /// A redirect is followed.
    case willRedirect(ResponseHead, to: HTTPRequest)
    /// A challenge is answered.
    case willAuthenticate(ResponseHead, with: HTTPRequest)
    /// An attempt has ended, with an error or nil if it succeeded.
    case didCompleteAttempt(Timeline, error: ClientError?)
    /// Validation is complete; the error is nil if the response was accepted.
    case didValidate(error: ClientError?)
    /// The request will be retried after a delay.
    case isRetrying(retryCount: Int, delay: Duration)
    /// A serializer has run, with an error or nil if it succeeded.
    case didParse(error: ClientError?)
    /// A download was moved to its destination.
    case didMoveFile(path: String)
    /// The request has ended, with an error or nil if it succeeded.
    case didFinish(error: ClientError?)
}
