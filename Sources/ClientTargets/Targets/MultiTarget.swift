public import ProxydHTTPModel

/// Wraps any target, for a provider that sends targets of several types.
public enum MultiTarget: TargetType {
    /// A target of any type.
    case target(any TargetType)

    /// Wraps a target.
    public init(_ target: any TargetType) { self = .target(target) }

    /// The wrapped target.
    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }

    /// The base URL of the wrapped target.
    public var baseURL: RawURL { target.baseURL }
    /// The path of the wrapped target.
    public var path: String { target.path }
    /// The method of the wrapped target.
    public var method: HTTPMethod { target.method }
    /// The task of the wrapped target.
    public var task: RequestTask { target.task }
    /// The header fields of the wrapped target.
    public var headers: HeaderFields? { target.headers }
    /// The sample data of the wrapped target.
    public var sampleData: [UInt8] { target.sampleData }
    /// The sample of the wrapped target.
    public var sample: SampleResponse { target.sample }
    /// The validation type of the wrapped target.
    public var validationType: ValidationType { target.validationType }
}

extension MultiTarget: AccessTokenAuthorizable {
    /// The authorization type of the wrapped target, or nil if it has none.
    public var authorizationType: AuthorizationType? {
        (target as? any AccessTokenAuthorizable)?.authorizationType
    }
}
