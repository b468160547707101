public import ProxydHTTPModel

/// When a response without a body is acceptable.
public struct EmptyResponsePolicy: Sendable, Hashable {
    /// Methods whose responses may be empty.
    public var requestMethods: Set<HTTPMethod>
    /// Statuses whose responses may be empty.
    public var responseCodes: Set<Int>

    /// The default: HEAD.
    public static let usualRequestMethods: Set<HTTPMethod> = [.head]
    /// The default: 204 and 205.
    public static let usualResponseCodes: Set<Int> = [204, 205]

    /// Creates a policy; the defaults are HEAD, and 204 and 205.
    public init(
        requestMethods: Set<HTTPMethod> = usualRequestMethods,
        responseCodes: Set<Int> = usualResponseCodes
    ) {
        self.requestMethods = requestMethods
        self.responseCodes = responseCodes
    }

    /// Whether an empty body is acceptable.
    public func allowsEmpty(_ input: SerializationInput) -> Bool {
        input.request.map { requestMethods.contains($0.method) } ?? false
            || input.response.map { responseCodes.contains($0.status) } ?? false
    }

    /// - Throws: `.inputDataNilOrZeroLength` if an empty body is not acceptable.
    func check(_ input: SerializationInput) throws(ClientError) {
        guard allowsEmpty(input) else {
            throw ClientError(.responseSerializationFailed(.inputDataNilOrZeroLength))
        }
    }
}
