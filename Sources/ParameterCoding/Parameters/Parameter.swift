/// A value to be sent as a parameter: ordered, typed, and free of guesses.
///
/// What is written in a program as a literal becomes one of these, as does any `Encodable` through
/// `ParameterTreeEncoder`; what was decoded becomes one through a tree view. Members of objects
/// keep their order and may share a name, because what came over the wire may, too.
public indirect enum Parameter: Sendable, Hashable {
    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The name, as text.
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
    /// A truth value; never a number.
    case bool(Bool)
    /// A signed whole number.
    case int(Int64)
    /// An unsigned whole number.
    case uint(UInt64)
    /// A floating-point number. Infinities and NaN have no form on the wire: encoding them throws.
    case double(Double)
    /// A decimal number as its digits: `12.30` stays `12.30`. The grammar is JSON's `number`.
    case decimal(String)
    /// Text.
    case string(String)
    /// Octets that stand for themselves, not for text.
    case data([UInt8])
    /// A point in time.
    case date(ParameterDate)
    /// Elements in order.
    case array([Parameter])
    /// Elements whose order has no meaning; encoders that sort put them in order of their text.
    case set([Parameter])
    /// Members in order.
    case object([Member])
    /// Octets that are in the form the wire wants: no encoder touches them.
    case raw([UInt8])
}
