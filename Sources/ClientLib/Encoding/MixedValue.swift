public import ProxydParameterCoding

/// A type whose values may be among parameters of mixed types although it is not `Encodable`. The
/// module `ProxydClientFoundation` makes `NSNumber` and `NSNull` conform.
public protocol MixedValue {
    /// The value as a parameter.
    var mixedParameter: Parameter { get }
}
