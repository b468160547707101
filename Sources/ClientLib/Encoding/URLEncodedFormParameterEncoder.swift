internal import ProxydHTTPModel
public import ProxydParameterCoding

/// Puts any `Encodable` into the query or a form: the name that users of Alamofire know for
/// `URLEncoding` over encodable values.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// How it is written.
    public var encoding: URLEncoding

    /// An encoder.
    public init(
        encoding: URLEncoding = .alamofire5Form,
        destination: URLEncoding.Destination = .methodDependent
    ) {
        self.encoding = encoding
        self.encoding.destination = destination
    }

    /// In the query or the body, as the method says.
    public static let `default` = URLEncodedFormParameterEncoder()

    /// The request with the parameters.
    public func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest {
        try encoding.encode(parameters, into: request)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// In the query or a form, as the method says.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }
}
