internal import ProxydHTTPModel
public import ClientLib

/// Sends a token with targets that are `AccessTokenAuthorizable`. It replaces a value that is there
/// already, so that no second one piles up.
public struct AccessTokenPlugin: PluginType {
    /// Gives the token; asked for each attempt.
    public typealias TokenClosure = @Sendable (any TargetType) async throws -> String
    private let token: TokenClosure

    /// A plugin that asks `tokenClosure`.
    public init(tokenClosure: @escaping TokenClosure) { token = tokenClosure }

    /// The request with the token; as it is for targets that want none.
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
