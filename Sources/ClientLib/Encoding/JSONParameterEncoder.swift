public import Foundation
internal import ProxydHTTPModel

/// Puts any `Encodable` into a JSON body, with Foundation's encoder and its settings.
public struct JSONParameterEncoder: ParameterEncoder {
    private let makeEncoder: @Sendable () -> JSONEncoder

    /// An encoder that asks `makeEncoder` for a new `JSONEncoder` each time.
    public init(makeEncoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }) {
        self.makeEncoder = makeEncoder
    }

    /// An encoder with the settings of `encoder`.
    public init(encoder: JSONEncoder) { self.init { encoder } }

    /// Foundation's own settings.
    public static let `default` = JSONParameterEncoder()
    /// Indented.
    public static let prettyPrinted = JSONParameterEncoder { formatted(.prettyPrinted) }
    /// Members sorted.
    public static let sortedKeys = JSONParameterEncoder { formatted(.sortedKeys) }

    private static func formatted(_ formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return encoder
    }

    /// The request with a JSON body, and `application/json` where it names no content type.
    public func encode<Values: Encodable & Sendable>(
        _ parameters: Values?, into request: HTTPRequest
    ) throws -> HTTPRequest {
        guard let parameters else { return request }
        var request = request
        request.body = .octets(Array(try makeEncoder().encode(parameters)))
        if request.fields.first(.contentType) == nil {
            request.fields.append(name: "Content-Type", value: "application/json")
        }
        return request
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// As JSON.
    public static var json: JSONParameterEncoder { .default }
}
