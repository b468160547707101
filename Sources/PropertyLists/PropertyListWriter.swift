public import ProxydParameterCoding

/// Writes property lists, XML and binary.
///
/// Members keep their order, and sets become arrays. In binary lists, an object with the single
/// member `CF$UID` and an integer value is written as a UID, as Apple's tools do.
public struct PropertyListWriter: Sendable, Hashable {
    public var format: PropertyListFormat

    /// The maximum nesting depth, equal to the reader's default.
    static let depthMax = 512

    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    /// - Throws: if the value cannot be represented in the format.
    public func write(_ parameter: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        switch format {
        case .xml:
            var writer = XMLPropertyListWriter()
            return try writer.document(parameter)
        case .binary:
            var writer = BinaryPropertyListWriter()
            return try writer.document(parameter)
        }
    }
}

/// Why a value cannot be written as a property list.
public enum PropertyListWritingError: Error, Sendable, Hashable {
    /// Property lists have no null.
    case nullHasNoForm
    /// Bytes that are already encoded cannot be part of a property list.
    case rawHasNoForm
    /// An infinity or NaN, or a non-finite date.
    case notFinite
    /// An invalid decimal number, or one too large for a double.
    case badNumber(String)
    /// A date outside the years 1 to 9999, which XML lists cannot represent.
    case dateOutOfRange(ParameterDate)
    /// A text with a control character that XML cannot represent.
    case textHasNoForm
    /// Nesting deeper than 512 levels.
    case tooDeep
}

extension PropertyListWritingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nullHasNoForm: "a property list cannot hold null"
        case .rawHasNoForm: "bytes that are already encoded cannot be part of a property list"
        case .notFinite: "a number is infinite or not a number and cannot be sent"
        case .badNumber(let text): "a number is written “\(text)”, which is not a number"
        case .dateOutOfRange: "a date is not in the years 1 to 9999"
        case .textHasNoForm: "a text contains a control character, which XML does not allow"
        case .tooDeep: "the value is nested too deep"
        }
    }
}

/// Encodes parameters as the property list of a body.
public struct PropertyListEncoding: Sendable, Hashable {
    public var format: PropertyListFormat

    /// The Content-Type if the request has none.
    public static let contentType = "application/x-plist"

    public static let xml = PropertyListEncoding(format: .xml)
    public static let binary = PropertyListEncoding(format: .binary)

    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    /// - Throws: if a value cannot be represented in a property list.
    public func encode(_ parameter: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        try PropertyListWriter(format: format).write(parameter)
    }
}

extension PropertyListEncoding: ParameterSerializing {
    /// The body for a request, regardless of its method. Without parameters the request is
    /// unchanged.
    /// - Throws: `ParameterEncodingError` with the key of a number or date that cannot be written,
    ///   otherwise `PropertyListWritingError`.
    public func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
        guard let parameters else { return EncodedParameters() }
        do {
            let body = try PropertyListWriter(format: format).write(parameters)
            return EncodedParameters(body: body, contentType: PropertyListEncoding.contentType)
        } catch {
            throw PropertyListEncoding.refusal(of: parameters, error) ?? error
        }
    }

    /// The error with the key of the value; nil if it has no key.
    private static func refusal(
        of parameters: Parameter, _ error: PropertyListWritingError
    ) -> (any Error)? {
        switch error {
        case .notFinite: parameters.refusalOfNotFinite()
        case .badNumber(let text): parameters.refusalOfDecimal(text)
        case .dateOutOfRange(let date): parameters.refusalOfDate(date)
        case .nullHasNoForm, .rawHasNoForm, .textHasNoForm, .tooDeep: nil
        }
    }
}
