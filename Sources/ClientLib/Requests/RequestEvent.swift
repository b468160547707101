public import ProxydHTTPModel

/// What happens in the life of a request.
public enum RequestEvent: Sendable {
    /// It was resumed, for the first time or after a pause.
    case didResume
    /// It was suspended.
    case didSuspend
    /// It was cancelled.
    case didCancel
    /// Adapters are through; this is what an attempt will send.
    case didAdapt(HTTPRequest)
    /// An attempt begins with this head; attempts count from 1.
    case willSend(RequestHead, attempt: Int)
    /// The head of a response came.
    case didReceive(ResponseHead)
    /// So many bytes of the body were sent so far.
    case didSend(TransferProgress)
    /// So many bytes of the response came so far.
    case didReceiveBody(TransferProgress)
    /// A redirect is followed.
    case willRedirect(ResponseHead, to: HTTPRequest)
    /// A challenge is answered.
    case willAuthenticate(ResponseHead, with: HTTPRequest)
    /// An attempt is over; nil where it did not fail.
    case didCompleteAttempt(Timeline, error: ClientError?)
    /// Validators have decided; nil where they accept.
    case didValidate(error: ClientError?)
    /// It will be sent again after a pause.
    case isRetrying(retryCount: Int, delay: Duration)
    /// A serializer has run; nil where it did not fail.
    case didParse(error: ClientError?)
    /// A download was moved to its place.
    case didMoveFile(path: String)
    /// It is over; nil where it did not fail.
    case didFinish(error: ClientError?)
}
