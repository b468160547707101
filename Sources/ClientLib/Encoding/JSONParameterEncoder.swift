public import FoundationEssentials
internal import ProxydHTTPModel

/// Encodes any `Encodable` as a JSON body, with Foundation's encoder and its settings.
public struct JSONParameterEncoder: ParameterEncoder {
    private let makeEncoder: @Sendable () -> JSONEncoder

    /// Creates an encoder that gets a new `JSONEncoder` from `makeEncoder` for each request.
    public init(makeEncoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }) {
        self.makeEncoder = makeEncoder
    }

    /// Creates an encoder with the settings of `encoder`.
    public init(encoder: JSONEncoder) { self.init { encoder } }

    /// An encoder with Foundation's default settings.
    public static let `default` = JSONParameterEncoder()
    /// An encoder that indents its output.
    public static let prettyPrinted = JSONParameterEncoder { formatted(.prettyPrinted) }
    /// An encoder that sorts members.
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
    /// Encodes as JSON.
    public static var json: JSONParameterEncoder { .default }
}
