/// Tries several serializers in order and returns the first value.
public struct FirstOfSerializer<Output: Sendable>: ResponseSerializer {
    private let serializers: [any ResponseSerializer<Output>]

    /// Creates a serializer from others.
    public init(_ serializers: [any ResponseSerializer<Output>]) {
        self.serializers = serializers
    }

    /// The first value.
    /// - Throws: `.noSerializerMatched`, with the last serializer's error.
    public func serialize(_ input: SerializationInput) throws -> Output {
        var last: (any Error)?
        for serializer in serializers {
            do {
                return try serializer.serialize(input)
            } catch {
                last = error
            }
        }
        throw ClientError(
            .responseSerializationFailed(.noSerializerMatched), underlying: last)
    }
}

/// A serializer that calls a closure.
public struct ClosureSerializer<Output: Sendable>: ResponseSerializer {
    private let closure: @Sendable (SerializationInput) throws -> Output

    /// Creates a serializer that calls `closure`.
    public init(_ closure: @escaping @Sendable (SerializationInput) throws -> Output) {
        self.closure = closure
    }

    /// Calls the closure.
    public func serialize(_ input: SerializationInput) throws -> Output { try closure(input) }
}

extension ResponseSerializer {
    /// The same serializer with its values transformed, so that `FirstOfSerializer` can combine
    /// serializers of one type.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Other
    ) -> ClosureSerializer<Other> {
        ClosureSerializer { try transform(serialize($0)) }
    }
}
