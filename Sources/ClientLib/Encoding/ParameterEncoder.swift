internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists

/// Adds any `Encodable` to a request as its parameters.
public protocol ParameterEncoder: Sendable {
    /// The request with the parameters, or the same request if there are none.
    func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest
}

extension ParameterEncoder where Self: ParameterSerializing {
    /// The request with the parameters in its query or body.
    public func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest {
        guard let parameters else { return request }
        let method = request.method.rawValue
        // The value is already a tree; converting it again would lose what is encoded for the wire.
        let encoded =
            if let mixed = parameters as? MixedParameters {
                try encode(mixed.parameter, method: method)
            } else {
                try encode(value: parameters, method: method)
            }
        return request.carrying(encoded)
    }
}

extension URLEncoding: ParameterEncoder {}
extension JSONEncoding: ParameterEncoder {}
extension PropertyListEncoding: ParameterEncoder {}
extension CompositeEncoding: ParameterEncoder {}
