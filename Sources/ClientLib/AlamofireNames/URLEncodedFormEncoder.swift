public import FoundationEssentials
public import ProxydParameterCoding

/// Encodes values as a form: `URLEncoding` with Alamofire's names and defaults.
public struct URLEncodedFormEncoder: Sendable {
    /// How array elements are named.
    public typealias ArrayEncoding = URLEncoding.ArrayEncoding
    /// How Booleans are written.
    public typealias BoolEncoding = URLEncoding.BoolEncoding
    /// How bytes are converted to text.
    public typealias DataEncoding = URLEncoding.DataEncoding
    /// How dates are converted to text.
    public typealias DateEncoding = URLEncoding.DateEncoding
    /// How names are converted.
    public typealias KeyEncoding = URLEncoding.KeyEncoding
    /// How a member's name is added to the path of its object.
    public typealias KeyPathEncoding = URLEncoding.KeyPathEncoding
    /// How null is encoded.
    public typealias NilEncoding = URLEncoding.NilEncoding
    /// How a space is written.
    public typealias SpaceEncoding = URLEncoding.SpaceEncoding

    /// All rules of the encoding.
    public var encoding: URLEncoding

    /// Creates an encoder. Without `alphabetizeKeyValuePairs`, members are in the order in which
    /// they are encoded.
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

    /// Encodes a value as pairs.
    /// - Throws: `ParameterEncodingError`, or any error of the value's own `encode(to:)`.
    public func encode(_ value: some Encodable) throws -> String {
        let encoded = try encoding.encode(value: value, method: "GET")
        return String(decoding: encoded.query ?? encoded.body ?? [], as: UTF8.self)
    }
}

extension URLEncodedFormParameterEncoder {
    /// Where the pairs are put.
    public typealias Destination = URLEncoding.Destination

    /// Creates an encoder with its own rules.
    public init(encoder: URLEncodedFormEncoder, destination: Destination = .methodDependent) {
        self.init(encoding: encoder.encoding, destination: destination)
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// Encodes in the query or a form, with the rules of `encoder`.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
        destination: URLEncoding.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// Encodes as JSON, with the settings of `encoder`.
    public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}

extension URLEncoding {
    /// Creates the default rules with some replaced.
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
    /// Names are unchanged.
    public static var useDefaultKeys: Self { .unchanged }
    /// `myURLProperty` becomes `my_url_property`.
    public static var convertToSnakeCase: Self { .snakeCase }
    /// `myURLProperty` becomes `my-url-property`.
    public static var convertToKebabCase: Self { .kebabCase }
}

extension URLEncoding.KeyPathEncoding {
    /// The path, followed by the result of the closure for the name.
    public init(encoding: @escaping @Sendable (_ name: String) -> String) {
        self = .custom(encoding)
    }
}

extension URLEncoding.NilEncoding {
    /// `key=` and the returned text, or nothing if it is nil.
    public init(encoding: @escaping @Sendable () -> String?) { self = .custom(encoding) }
}

extension URLEncoding.SpaceEncoding {
    /// Spaces are written as `+`.
    public static var plusReplaced: Self { .plus }
}
