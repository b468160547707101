internal import ProxydHTTPModel
public import ClientLib

/// Adds a token to the requests of targets that are `AccessTokenAuthorizable`. It replaces an
/// existing value, so that retries do not add a second one.
public struct AccessTokenPlugin: PluginType {
    /// Returns the token; called for each attempt.
    public typealias TokenClosure = @Sendable (any TargetType) async throws -> String
    private let token: TokenClosure

    /// Creates a plugin that gets tokens from `tokenClosure`.
    public init(tokenClosure: @escaping TokenClosure) { token = tokenClosure }

    /// The request with the token, or unchanged if the target needs none.
    public func prepare(
        _ request: HTTPRequest, target: any TargetType
    ) async throws -> HTTPRequest {
        guard let type = (target as? any AccessTokenAuthorizable)?.authorizationType else {
            return request
        }
        let asked = (target as? MultiTarget)?.target ?? target
        var request = request
        request.fields.set(name: "Authorization", value: "\(type.value) \(try await token(asked))")
        return request
    }
}
