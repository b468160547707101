public import ProxydParameterCoding

/// Parameters with values of any types: `["page": page, "q": text]` and variables of the type
/// `[String: Any]` become this.
///
/// A value may be anything `Encodable`, an optional of it, a result of `JSONSerialization`, a
/// `Parameter`, or an array, set or dictionary of these, at any depth. A dictionary has no order,
/// so its members are sorted by name. Use a `Parameter` if the order matters.
public struct MixedParameters: Sendable {
    private let read: Result<Parameter, any Error>

    /// Converts the values. A value that cannot be sent is reported when a request is made from it.
    public init(_ values: [String: Any?]) {
        read = Result { try MixedValueReader().parameter(values, key: "", depth: 0) }
    }

    /// The values as a tree.
    /// - Throws: `ParameterEncodingError`, or any error of a value's own `encode(to:)`.
    public var parameter: Parameter { get throws { try read.get() } }
}

extension MixedParameters: Encodable {
    /// Writes the values by the encoder's own rules for dates, data and names.
    public func encode(to encoder: any Encoder) throws {
        try EncodableParameter(parameter: parameter).encode(to: encoder)
    }
}
