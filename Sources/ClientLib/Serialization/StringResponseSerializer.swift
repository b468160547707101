public import ProxydCharsets
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Converts the body to text. The charset is that of a byte order mark (WHATWG Encoding §6), which
/// is not part of the text; or the requested one; or the one that the response names; or UTF-8 if
/// the bytes are valid UTF-8; or Windows-1252 (also used for ISO-8859-1).
public struct StringResponseSerializer: ResponseSerializer {
    /// The charset of a body without a byte order mark, whatever the response says, or nil to use
    /// the response's.
    public var charset: Charset?
    /// When an empty body is acceptable.
    public var emptyResponses: EmptyResponsePolicy
    /// Transforms the body first.
    public var preprocessor: any DataPreprocessor

    /// Creates a serializer.
    public init(
        charset: Charset? = nil,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponses: EmptyResponsePolicy = EmptyResponsePolicy()
    ) {
        self.charset = charset
        self.preprocessor = preprocessor
        self.emptyResponses = emptyResponses
    }

    /// The body as text.
    /// - Throws: `.stringSerializationFailed` for bytes that are invalid in the charset.
    public func serialize(_ input: SerializationInput) throws -> String {
        guard let data = input.data, !data.isEmpty else {
            try emptyResponses.check(input)
            return ""
        }
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
    /// The body as text.
    public static var string: StringResponseSerializer { StringResponseSerializer() }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// The body as bytes.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}
