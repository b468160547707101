public import FoundationEssentials
public import ProxydParameterCoding

/// Encodes values as a form: `URLEncoding` with Alamofire's names and defaults.
public struct URLEncodedFormEncoder: Sendable {
    public typealias ArrayEncoding = URLEncoding.ArrayEncoding
    public typealias BoolEncoding = URLEncoding.BoolEncoding
    public typealias DataEncoding = URLEncoding.DataEncoding
    public typealias DateEncoding = URLEncoding.DateEncoding
    public typealias KeyEncoding = URLEncoding.KeyEncoding
    public typealias KeyPathEncoding = URLEncoding.KeyPathEncoding
    public typealias NilEncoding = URLEncoding.NilEncoding
    public typealias SpaceEncoding = URLEncoding.SpaceEncoding

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

    /// - Throws: `ParameterEncodingError`, or any error of the value's own `encode(to:)`.
    public func encode(_ value: some Encodable) throws -> String {
        let encoded = try encoding.encode(value: value, method: "GET")
        return String(decoding: encoded.query ?? encoded.body ?? [], as: UTF8.self)
    }
}

extension URLEncodedFormParameterEncoder {
    public typealias Destination = URLEncoding.Destination

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
    public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}

extension URLEncoding {
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
    public static var useDefaultKeys: Self { .unchanged }
    public static var convertToSnakeCase: Self { .snakeCase }
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
    public static var plusReplaced: Self { .plus }
}
