public import ProxydHTTPModel

// Names that code written for Alamofire uses, for what has another name here. They are other names
// for the same things and nothing else: ComingFromAlamofire.md lists them.

/// `Session.default`.
public let AF = Session.default

/// Parameters of mixed types, for variables; a call takes them as a literal just as well.
public typealias Parameters = [String: any Sendable]
/// A request to be sent. A file that imports FoundationNetworking, too, names the module with it.
public typealias URLRequest = HTTPRequest
/// The head of a response.
public typealias HTTPURLResponse = ResponseHead
/// Why a request failed.
public typealias AFError = ClientError
/// What came of a request.
public typealias AFDataResponse<Value: Sendable> = DataResponse<Value>
/// What came of a download.
public typealias AFDownloadResponse<Value: Sendable> = DownloadResponse<Value>
/// A value, or why there is none.
public typealias AFResult<Value> = Result<Value, ClientError>
/// Compresses the bodies of requests, with deflate unless told otherwise.
public typealias DeflateRequestCompressor = RequestCompressor

extension HTTPMethod {
    /// A request that is as safe as GET and has a body (draft-ietf-httpbis-safe-method-w-body).
    public static let query: HTTPMethod = "QUERY"
}
