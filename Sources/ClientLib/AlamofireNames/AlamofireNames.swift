public import ProxydHTTPModel
public import FoundationEssentials

// Alamofire's names for things that have other names here. They are only aliases:
// ComingFromAlamofire.md lists them.

public let AF = Session.default

/// Parameters of mixed types, for variables; calls also accept literals.
public typealias Parameters = [String: any Sendable]
/// A request to be sent. A file that also imports FoundationNetworking must qualify the name with
/// the module.
public typealias URLRequest = HTTPRequest
public typealias HTTPURLResponse = ResponseHead
public typealias AFError = ClientError
public typealias AFDataResponse<Value: Sendable> = DataResponse<Value>
public typealias AFDownloadResponse<Value: Sendable> = DownloadResponse<Value>
public typealias AFResult<Value> = Result<Value, ClientError>
public typealias DeflateRequestCompressor = RequestCompressor

extension HTTPMethod {
    /// A method that is as safe as GET and has a body (draft-ietf-httpbis-safe-method-w-body).
    public static let query: HTTPMethod = "QUERY"
}

/// A type that can be converted to a request, with Alamofire's name for the requirement.
public protocol URLRequestConvertible: RequestConvertible {
    func asURLRequest() throws -> HTTPRequest
}

extension URLRequestConvertible {
    public func asRequest() throws -> HTTPRequest { try asURLRequest() }
}

extension HTTPRequest: URLRequestConvertible {
    public func asURLRequest() throws -> HTTPRequest { self }
}

/// Members of Foundation's `URLRequest`, and Alamofire's additions to it.
extension HTTPRequest {
    /// Creates a request. If no request can be sent to the URL, it fails with `.invalidURL`.
    public init(url: URL, method: HTTPMethod = .get, headers: HeaderFields? = nil) {
        self.init(
            method: method, url: RawURL(stringLiteral: url.absoluteString),
            fields: headers ?? HeaderFields())
    }

    /// The method as text; nil is GET.
    public var httpMethod: String? {
        get { method.rawValue }
        set { method = newValue.map(HTTPMethod.init(rawValue:)) ?? .get }
    }

    /// The body if it is in memory, or nil if there is none or it is a file, stream or form.
    public var httpBody: Data? {
        get { if case .bytes(let bytes) = body { Data(bytes) } else { nil } }
        set { body = newValue.map { .bytes(Array($0)) } ?? .none }
    }

    /// The time limit for connecting, and then for time without traffic, in seconds; 60 by default.
    /// Setting it replaces all of the session's time limits for this request; infinity means a
    /// hundred years.
    public var timeoutInterval: TimeInterval {
        get { (timeouts?.idle ?? Timeouts().idle) / .seconds(1) }
        set {
            let limit = Duration.clamping(seconds: newValue)
            timeouts = Timeouts(connect: limit, idle: limit)
        }
    }

    /// The fields by name; repeated names have their values joined by commas.
    public var allHTTPHeaderFields: [String: String]? {
        get { fields.dictionary }
        set { fields = HeaderFields(newValue ?? [:]) }
    }

    /// The first value of a field.
    public func value(forHTTPHeaderField name: String) -> String? { fields[name] }

    /// Replaces all lines of the name with one; nil removes them.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        fields[name] = value
    }

    public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {
        fields.append(name: name, value: value)
    }
}

extension RawURL {
    public var absoluteString: String { description }
}

/// Members of Foundation's `HTTPURLResponse`, and Alamofire's additions to it.
extension ResponseHead {
    public var statusCode: Int { status }
    public var headers: HeaderFields { fields }
    /// The fields by name; repeated names have their values joined by commas.
    public var allHeaderFields: [String: String] { fields.dictionary }
    /// The first value of a field.
    public func value(forHTTPHeaderField name: String) -> String? { fields[name] }
}

/// A name and a password for challenges, and how long they are kept.
public struct URLCredential: Sendable, Hashable, CustomStringConvertible {
    public let credential: Credential
    public let persistence: CredentialPersistence

    public init(user: String, password: String, persistence: CredentialPersistence) {
        credential = Credential(user: user, password: password)
        self.persistence = persistence
    }

    /// The user name, without the password.
    public var description: String { credential.description }
}

extension ClientRequest {
    /// Answers challenges of the request's server.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        authenticate(with: credential.credential, persistence: credential.persistence)
    }
}

/// Applies, recognises and refreshes credentials of one type, with Alamofire's requirements.
public protocol Authenticator<Credential>: CredentialAuthenticator {
    func apply(_ credential: Credential, to urlRequest: inout HTTPRequest)
    /// Gets a new credential to replace an old one and passes it to `completion`, which must be
    /// called exactly once.
    func refresh(
        _ credential: Credential, for session: Session,
        completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)
    func didRequest(
        _ urlRequest: HTTPRequest, with response: ResponseHead,
        failDueToAuthenticationError error: any Error
    ) -> Bool
}

extension Authenticator {
    public func refresh(_ credential: Credential, for session: Session) async throws -> Credential {
        try await withCheckedThrowingContinuation { continuation in
            refresh(credential, for: session) { continuation.resume(with: $0) }
        }
    }

    public func didRequest(
        _ request: HTTPRequest, with response: ResponseHead,
        failDueToAuthenticationError error: ClientError
    ) -> Bool {
        didRequest(request, with: response, failDueToAuthenticationError: error as any Error)
    }
}

/// The most common questions about errors, with Alamofire's names.
extension ClientError {
    public var isExplicitlyCancelledError: Bool { kind == .explicitlyCancelled }

    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = kind { true } else { false }
    }

    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = kind { true } else { false }
    }

    public var isServerTrustEvaluationError: Bool {
        if case .serverTrustEvaluationFailed = kind { true } else { false }
    }

    /// The status that a validator rejected, or nil for other errors.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = kind {
            code
        } else {
            nil
        }
    }

    public var underlyingError: (any Error)? { underlying }
}

extension Error {
    public var asAFError: AFError? { self as? AFError }
}

// The timeline under Alamofire's name for its metrics.

extension ClientRequest {
    public var metrics: RequestTimeline? { timeline }
}

extension DataResponse {
    public var metrics: RequestTimeline? { timeline }
}

extension DownloadResponse {
    public var metrics: RequestTimeline? { timeline }
}

extension DataStreamRequest.Completion {
    public var metrics: RequestTimeline? { timeline }
}

extension TransferProgress {
    public var completedUnitCount: Int64 { completedByteCount }
    public var totalUnitCount: Int64 { totalByteCount ?? -1 }
}
