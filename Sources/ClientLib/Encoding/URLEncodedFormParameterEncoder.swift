internal import ProxydHTTPModel
public import ProxydParameterCoding

/// Adds any `Encodable` to the query or a form; Alamofire's name for `URLEncoding` with encodable
/// values.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// The settings of the encoding.
    public var encoding: URLEncoding

    /// Creates an encoder with a format and a destination.
    public init(
        encoding: URLEncoding = .alamofire5Form,
        destination: URLEncoding.Destination = .methodDependent
    ) {
        self.encoding = encoding
        self.encoding.destination = destination
    }

    /// Encodes in the query or the body, depending on the method.
    public static let `default` = URLEncodedFormParameterEncoder()

    /// The request with the parameters.
    public func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest {
        try encoding.encode(parameters, into: request)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// Encodes in the query or a form, depending on the method.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }
}
