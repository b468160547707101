public import Foundation
public import ProxydParameterCoding

/// How values become a form: `URLEncoding` with the names and defaults that Alamofire gives its
/// choices.
public struct URLEncodedFormEncoder: Sendable {
    /// How the elements of an array share its key.
    public typealias ArrayEncoding = URLEncoding.ArrayEncoding
    /// How truth values are written.
    public typealias BoolEncoding = URLEncoding.BoolEncoding
    /// How bytes become text.
    public typealias DataEncoding = URLEncoding.DataEncoding
    /// How points in time become text.
    public typealias DateEncoding = URLEncoding.DateEncoding
    /// How names are changed.
    public typealias KeyEncoding = URLEncoding.KeyEncoding
    /// How the name of a member follows the path of its object.
    public typealias KeyPathEncoding = URLEncoding.KeyPathEncoding
    /// What becomes of a null.
    public typealias NilEncoding = URLEncoding.NilEncoding
    /// How a space is written.
    public typealias SpaceEncoding = URLEncoding.SpaceEncoding

    /// All rules.
    public var encoding: URLEncoding

    /// An encoder. Without `alphabetizeKeyValuePairs` members go in the order in which they are
    /// encoded.
    public init(
        alphabetizeKeyValuePairs: Bool = true, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric, dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate, keyEncoding: KeyEncoding = .unchanged,
        keyPathEncoding: KeyPathEncoding = .brackets, nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped
    ) {
        encoding = .alamofire5Form
        encoding.keyOrder = alphabetizeKeyValuePairs ? .sortedKeys : .asGiven
        encoding.arrays = arrayEncoding
        encoding.bools = boolEncoding
        encoding.data = dataEncoding
        encoding.dates = dateEncoding
        encoding.keys = keyEncoding
        encoding.keyPaths = keyPathEncoding
        encoding.nulls = nilEncoding
        encoding.spaces = spaceEncoding
    }

    /// The pairs of a value.
    /// - Throws: `ParameterEncodingError`, or what the value's own `encode(to:)` throws.
    public func encode(_ value: some Encodable) throws -> String {
        let encoded = try encoding.encode(value: value, method: "GET")
        return String(decoding: encoded.query ?? encoded.body ?? [], as: UTF8.self)
    }
}

extension URLEncodedFormParameterEncoder {
    /// Where pairs go.
    public typealias Destination = URLEncoding.Destination

    /// An encoder with rules of its own.
    public init(encoder: URLEncodedFormEncoder, destination: Destination = .methodDependent) {
        self.init(encoding: encoder.encoding, destination: destination)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// In the query or a form, with rules of its own.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
        destination: URLEncoding.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// As JSON, with the settings of `encoder`.
    public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}

extension URLEncoding {
    /// The default rules with some of another kind.
    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        self.init()
        self.destination = destination
        arrays = arrayEncoding
        bools = boolEncoding
    }
}

extension URLEncoding.KeyEncoding {
    /// As given.
    public static var useDefaultKeys: Self { .unchanged }
    /// `myURLProperty` becomes `my_url_property`.
    public static var convertToSnakeCase: Self { .snakeCase }
    /// `myURLProperty` becomes `my-url-property`.
    public static var convertToKebabCase: Self { .kebabCase }
}

extension URLEncoding.KeyPathEncoding {
    /// The path, followed by what is made of the name.
    public init(encoding: @escaping @Sendable (_ name: String) -> String) {
        self = .custom(encoding)
    }
}

extension URLEncoding.NilEncoding {
    /// `key=` and the text given, or nothing where there is none.
    public init(encoding: @escaping @Sendable () -> String?) { self = .custom(encoding) }
}

extension URLEncoding.SpaceEncoding {
    /// `+`.
    public static var plusReplaced: Self { .plus }
}
