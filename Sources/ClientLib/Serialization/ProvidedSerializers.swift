public import ProxydCharsets
internal import ProxydHTTPModel
public import ProxydParameterCoding
public import ProxydPropertyLists
public import FoundationEssentials

/// Returns the body unchanged.
public struct DataResponseSerializer: ResponseSerializer {
    public var emptyResponses: EmptyResponsePolicy
    public var preprocessor: any DataPreprocessor

    public init(
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    public func serialize(_ input: SerializationInput) throws -> [UInt8] {
        guard let data = try emptyResponses.data(of: input) else { return [] }
        return try preprocessor.preprocess(data)
    }
}

/// Converts the body to text. The charset is that of a byte order mark (WHATWG Encoding §6), which
/// is not part of the text; or the requested one; or the one that the response names; or UTF-8 if
/// the bytes are valid UTF-8; or Windows-1252 (also used for ISO-8859-1).
public struct StringResponseSerializer: ResponseSerializer {
    /// The charset of a body without a byte order mark, whatever the response says, or nil to use
    /// the response's.
    public var charset: Charset?
    public var emptyResponses: EmptyResponsePolicy
    public var preprocessor: any DataPreprocessor

    public init(
        charset: Charset? = nil, preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.charset = charset
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// - Throws: `.stringSerializationFailed` for bytes that are invalid in the charset.
    public func serialize(_ input: SerializationInput) throws -> String {
        guard let data = try emptyResponses.data(of: input) else { return "" }
        let bytes = try preprocessor.preprocess(data)
        let type = input.response?.fields.value(.contentType).flatMap { MediaType($0) }
        let known = textCharset(bytes.span, type)
        let decoded = known.decode(bytes.span)
        // A guess is no better than a charset that is declared and not known.
        let isKnown = known.isKnown || type?.charset == nil
        guard isKnown, !decoded.isLossy else {
            let name = charset?.rawValue ?? type?.charset ?? known.charset.rawValue
            throw ClientError(
                .responseSerializationFailed(.stringSerializationFailed(charset: name)))
        }
        return decoded.text
    }

    private func textCharset(_ bytes: Span<UInt8>, _ type: MediaType?) -> TextCharset {
        if let charset { return TextCharset(of: bytes, label: charset.rawValue) }
        return BodyText(bytes, contentType: type).charset
            ?? TextCharset(of: bytes, label: type?.charset)
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    public static var string: StringResponseSerializer { StringResponseSerializer() }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}

/// Decodes the body with a decoder.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    public var decoder: any DataDecoder
    /// When an empty body is acceptable; the type then needs an empty value.
    public var emptyResponses: EmptyResponsePolicy
    public var preprocessor: any DataPreprocessor

    public init(
        decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.decoder = decoder
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// - Throws: `.decodingFailed` with the decoder's error, `.inputDataNilOrZeroLength`,
    ///   `.invalidEmptyResponse`.
    public func serialize(_ input: SerializationInput) throws -> Value {
        guard let data = try emptyResponses.data(of: input) else {
            guard let type = Value.self as? any EmptyResponse.Type,
                let value = type.emptyValue() as? Value
            else {
                throw ClientError(
                    .responseSerializationFailed(.invalidEmptyResponse(type: "\(Value.self)")))
            }
            return value
        }
        let bytes = try preprocessor.preprocess(data)
        do {
            return try decoder.decode(Value.self, from: Data(bytes))
        } catch {
            throw ClientError(.responseSerializationFailed(.decodingFailed), underlying: error)
        }
    }
}

/// Parses the body as JSON that keeps its order, duplicates and digits.
public struct JSONResponseSerializer: ResponseSerializer {
    public var limits: JSONLimits
    /// Whether members with the value null are removed, at every level.
    public var removesMembersWithNull: Bool
    /// When an empty body is acceptable; the value is then null.
    public var emptyResponses: EmptyResponsePolicy
    public var preprocessor: any DataPreprocessor

    public init(
        limits: JSONLimits = JSONLimits(), removesMembersWithNull: Bool = false,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.limits = limits
        self.removesMembersWithNull = removesMembersWithNull
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// The value; any JSON value is allowed at the top level.
    /// - Throws: `.jsonSerializationFailed` with the position of the error.
    public func serialize(_ input: SerializationInput) throws -> JSONValue {
        guard let data = try emptyResponses.data(of: input) else { return .null }
        let bytes = try preprocessor.preprocess(data)
        do {
            let value = try JSONReader(limits: limits).read(bytes)
            return removesMembersWithNull ? Self.withoutNulls(value) : value
        } catch {
            throw ClientError(
                .responseSerializationFailed(.jsonSerializationFailed), underlying: error)
        }
    }

    /// Recursion is safe because the limits bound the nesting.
    private static func withoutNulls(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.filter { $0.value != .null }
                    .map { JSONValue.Member(name: $0.name, value: withoutNulls($0.value)) })
        case .array(let elements): .array(elements.map(withoutNulls))
        default: value
        }
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}

/// Parses the body as a property list, XML or binary.
public struct PropertyListResponseSerializer: ResponseSerializer {
    public var reader: PropertyListReader
    /// When an empty body is acceptable; the value is then null.
    public var emptyResponses: EmptyResponsePolicy

    public init(
        reader: PropertyListReader = PropertyListReader(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.reader = reader
        self.emptyResponses = emptyResponses
    }

    /// - Throws: `.propertyListSerializationFailed`.
    public func serialize(_ input: SerializationInput) throws -> Parameter {
        guard let data = try emptyResponses.data(of: input) else { return .null }
        do {
            return try reader.read(data)
        } catch {
            throw ClientError(
                .responseSerializationFailed(.propertyListSerializationFailed), underlying: error)
        }
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    public static var propertyList: PropertyListResponseSerializer {
        PropertyListResponseSerializer()
    }
}

/// Returns the body as XML to be parsed.
public struct XMLResponseSerializer: ResponseSerializer {
    /// An XML body. The module `ProxydClientFoundation` makes parsers for it.
    public struct Document: Sendable {
        public let data: [UInt8]
    }

    public var emptyResponses: EmptyResponsePolicy

    public init(emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()) {
        self.emptyResponses = emptyResponses
    }

    public func serialize(_ input: SerializationInput) throws -> Document {
        Document(data: try emptyResponses.data(of: input) ?? [])
    }
}

extension ResponseSerializer where Self == XMLResponseSerializer {
    public static var xml: XMLResponseSerializer { XMLResponseSerializer() }
}
