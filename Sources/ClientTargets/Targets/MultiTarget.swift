public import ProxydHTTPModel

/// Any target, for a provider that sends targets of several types.
public enum MultiTarget: TargetType {
    /// A target of any type.
    case target(any TargetType)

    /// Any target.
    public init(_ target: any TargetType) { self = .target(target) }

    /// The target itself.
    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }

    /// The target's.
    public var baseURL: RawURL { target.baseURL }
    /// The target's.
    public var path: String { target.path }
    /// The target's.
    public var method: HTTPMethod { target.method }
    /// The target's.
    public var task: RequestTask { target.task }
    /// The target's.
    public var headers: HeaderFields? { target.headers }
    /// The target's.
    public var sampleData: [UInt8] { target.sampleData }
    /// The target's.
    public var sample: SampleResponse { target.sample }
    /// The target's.
    public var validationType: ValidationType { target.validationType }
}

extension MultiTarget: AccessTokenAuthorizable {
    /// The target's; nil where it has none.
    public var authorizationType: AuthorizationType? {
        (target as? any AccessTokenAuthorizable)?.authorizationType
    }
}
