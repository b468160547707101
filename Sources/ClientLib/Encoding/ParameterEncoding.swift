internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists
public import FoundationEssentials

/// Adds parameters to a request; conform to it for your own format.
public protocol ParameterEncoding: Sendable {
    /// The request with the parameters, or the same request if there are none.
    func encode(_ request: HTTPRequest, with parameters: Parameter?) throws -> HTTPRequest
}

extension ParameterEncoding where Self: ParameterSerializing {
    public func encode(_ request: HTTPRequest, with parameters: Parameter?) throws -> HTTPRequest {
        request.carrying(try encode(parameters, method: request.method.rawValue))
    }
}

extension URLEncoding: ParameterEncoding {}
extension JSONEncoding: ParameterEncoding {}
extension PropertyListEncoding: ParameterEncoding {}
extension CompositeEncoding: ParameterEncoding {}

extension HTTPRequest {
    /// The request with encoded parameters: pairs are added to the query, a body replaces the
    /// existing one, a content type is set only if there is none, and warnings are added to
    /// `parameterWarnings`.
    public func carrying(_ encoded: EncodedParameters) -> HTTPRequest {
        var request = self
        if let query = encoded.query {
            request.url = RawURL(
                scheme: url.scheme, host: url.host, port: url.port,
                origin: URLQuery.joined(url.origin, with: query, existing: encoded.existingQuery))
        }
        if let body = encoded.body { request.body = .bytes(body) }
        if let type = encoded.contentType, fields.first(.contentType) == nil {
            request.fields.append(name: "Content-Type", value: type)
        }
        request.parameterWarnings += encoded.warnings
        return request
    }
}

public protocol ParameterEncoder: Sendable {
    /// The request with the parameters, or the same request if there are none.
    func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest
}

extension ParameterEncoder where Self: ParameterSerializing {
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

/// Encodes any `Encodable` as a JSON body, with Foundation's encoder and its settings.
public struct JSONParameterEncoder: ParameterEncoder {
    private let makeEncoder: @Sendable () -> JSONEncoder

    /// Creates an encoder that gets a new `JSONEncoder` from `makeEncoder` for each request.
    public init(makeEncoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }) {
        self.makeEncoder = makeEncoder
    }

    public init(encoder: JSONEncoder) { self.init { encoder } }

    public static let `default` = JSONParameterEncoder()
    public static let prettyPrinted = JSONParameterEncoder { formatted(.prettyPrinted) }
    public static let sortedKeys = JSONParameterEncoder { formatted(.sortedKeys) }

    private static func formatted(_ formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return encoder
    }

    /// The request with a JSON body, and with content type `application/json` if it has none.
    public func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest {
        guard let parameters else { return request }
        var request = request
        request.body = .bytes(Array(try makeEncoder().encode(parameters)))
        if request.fields.first(.contentType) == nil {
            request.fields.append(name: "Content-Type", value: "application/json")
        }
        return request
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    public static var json: JSONParameterEncoder { .default }
}

/// Adds any `Encodable` to the query or a form; Alamofire's name for `URLEncoding` with encodable
/// values.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    public var encoding: URLEncoding

    public init(
        encoding: URLEncoding = .alamofire5Form,
        destination: URLEncoding.Destination = .methodDependent
    ) {
        self.encoding = encoding
        self.encoding.destination = destination
    }

    /// Encodes in the query or the body, depending on the method.
    public static let `default` = URLEncodedFormParameterEncoder()

    public func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest {
        try encoding.encode(parameters, into: request)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }
}
