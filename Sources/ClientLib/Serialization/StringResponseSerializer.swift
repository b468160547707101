public import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Gives the body as text: in the charset of a byte order mark (WHATWG Encoding §6, which is no
/// part of the text), else the one asked for, else the one that the response names, else UTF-8
/// where it is that, else Windows-1252 (which stands for ISO-8859-1).
public struct StringResponseSerializer: ResponseSerializer {
    /// The charset of a body without a byte order mark, whatever the response says; nil to believe
    /// the response.
    public var charset: Charset?
    /// When an empty body is acceptable.
    public var emptyResponses: EmptyResponsePolicy
    /// What is done to the body first.
    public var preprocessor: any DataPreprocessor

    /// A serializer.
    public init(
        charset: Charset? = nil,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.charset = charset
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// The text.
    /// - Throws: `.stringSerializationFailed` for bytes that the charset does not have.
    public func serialize(_ input: SerializationInput) throws -> String {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            return ""
        }
        let octets = try preprocessor.preprocess(data)
        let label = input.response?.fields.value(.contentType).flatMap { MediaType($0)?.charset }
        let decoded =
            charset.map { $0.decodeUnlessMarked(octets.span) }
            ?? Charset.decode(octets.span, label: label)
            ?? (label == nil ? Charset.windows1252.decode(octets.span) : nil)
        guard let decoded, !decoded.isLossy else {
            let name = charset.map { "\($0)" } ?? label ?? "UTF-8"
            throw ClientError(
                .responseSerializationFailed(.stringSerializationFailed(charset: name)))
        }
        return decoded.text
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// The body as text.
    public static var string: StringResponseSerializer { StringResponseSerializer() }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// The body as it is.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}
