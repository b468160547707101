public import ProxydHTTPModel

// Alamofire's names for what has another name here. They are aliases and nothing else:
// ComingFromAlamofire.md lists them.

/// Alamofire's name for `Session.default`.
public let AF = Session.default

/// Parameters of mixed types, for variables; calls also accept literals.
public typealias Parameters = [String: any Sendable]
/// A request to be sent. A file that also imports FoundationNetworking must qualify the name with
/// the module.
public typealias URLRequest = HTTPRequest
/// The head of a response.
public typealias HTTPURLResponse = ResponseHead
/// Why a request failed.
public typealias AFError = ClientError
/// The response to a request.
public typealias AFDataResponse<Value: Sendable> = DataResponse<Value>
/// The response to a download.
public typealias AFDownloadResponse<Value: Sendable> = DownloadResponse<Value>
/// A value or an error.
public typealias AFResult<Value> = Result<Value, ClientError>
/// Compresses request bodies; the default is deflate.
public typealias DeflateRequestCompressor = RequestCompressor

extension HTTPMethod {
    /// A method that is as safe as GET and has a body (draft-ietf-httpbis-safe-method-w-body).
    public static let query: HTTPMethod = "QUERY"
}
