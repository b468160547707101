/// A value to send as a parameter: ordered and typed.
///
/// Literals in a program become parameters, as does any `Encodable` through `ParameterTreeEncoder`;
/// decoded data becomes one through a tree view. Members of objects keep their order and may share
/// a name, as in received data.
public indirect enum Parameter: Sendable, Hashable {
    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The name of the member, before any encoding.
        public var name: String
        /// The value.
        public var value: Parameter

        /// A member of the given name and value.
        public init(_ name: String, _ value: Parameter) {
            self.name = name
            self.value = value
        }
    }

    /// No value: `nil` in Swift, `null` in JSON.
    case null
    /// A Boolean; never a number.
    case bool(Bool)
    /// A signed whole number.
    case int(Int64)
    /// An unsigned whole number.
    case uint(UInt64)
    /// A floating-point number. Infinities and NaN cannot be encoded: encoding them throws.
    case double(Double)
    /// A decimal number as its digits: `12.30` stays `12.30`. The grammar is JSON's `number`.
    case decimal(String)
    /// Text.
    case string(String)
    /// Binary data, not text.
    case data([UInt8])
    /// A point in time.
    case date(ParameterDate)
    /// Elements in order.
    case array([Parameter])
    /// Elements whose order is insignificant; encoders that sort order them by their text.
    case set([Parameter])
    /// Members in order.
    case object([Member])
    /// Bytes that are already encoded: encoders copy them unchanged.
    case raw([UInt8])
}
