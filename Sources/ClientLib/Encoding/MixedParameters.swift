public import ProxydParameterCoding

/// Parameters whose values are of any types: what `["page": page, "q": text]` and variables of the
/// type `[String: Any]` become.
///
/// A value may be anything `Encodable`, an optional of it, what `JSONSerialization` gives, a
/// `Parameter`, and arrays, sets and dictionaries of all these, at any depth. A dictionary has no
/// order: its members are put in the order of their names. Whoever needs an order writes a
/// `Parameter`.
public struct MixedParameters: Sendable {
    private let read: Result<Parameter, any Error>

    /// Reads the values. What cannot be sent is an error when a request is made of it.
    public init(_ values: [String: Any?]) {
        read = Result { try MixedValueReader().parameter(values, key: "", depth: 0) }
    }

    /// The values as a tree.
    /// - Throws: `ParameterEncodingError`, or what a value's own `encode(to:)` throws.
    public var parameter: Parameter { get throws { try read.get() } }
}

extension MixedParameters: Encodable {
    /// Writes the values with an encoder's own rules for dates, data and names.
    public func encode(to encoder: any Encoder) throws {
        try EncodableParameter(parameter: parameter).encode(to: encoder)
    }
}
