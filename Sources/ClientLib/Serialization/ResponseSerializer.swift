public import ProxydHTTPModel
public import FoundationEssentials

/// Makes a value from a response.
///
/// Implement one of the two methods; if neither is implemented, the serializer fails. The second is
/// for code that was written for Alamofire. Both can be called, whichever is implemented.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the value.
    associatedtype Output: Sendable
    /// Makes a value. Not called if the request has already failed.
    /// - Throws: why there is none.
    func serialize(_ input: SerializationInput) throws -> Output
    /// Makes a value; `error` is nil, because serializers are not called after a failure.
    /// - Throws: why there is none.
    func serialize(
        request: HTTPRequest?, response: ResponseHead?, data: Data?, error: (any Error)?
    ) throws -> Output
}

extension ResponseSerializer {
    /// Calls the other method.
    public func serialize(_ input: SerializationInput) throws -> Output {
        try AskedForm.$serializer.withValue(ObjectIdentifier(Self.self)) {
            try serialize(
                request: input.request, response: input.response,
                data: input.data.map { Data($0) }, error: nil)
        }
    }

    /// Calls the other method.
    /// - Throws: `error`, and a `ClientError` if neither method is implemented.
    public func serialize(
        request: HTTPRequest?, response: ResponseHead?, data: Data?, error: (any Error)?
    ) throws -> Output {
        if let error { throw error }
        guard AskedForm.serializer != ObjectIdentifier(Self.self) else {
            throw ClientError(
                .responseSerializationFailed(.custom),
                message: """
                    \(Self.self) has no method that serializes: write \
                    serialize(_ input: SerializationInput), or serialize(request:response:data:\
                    error:) with the types that ResponseSerializer names
                    """)
        }
        return try serialize(
            SerializationInput(request: request, response: response, data: data.map(Array.init)))
    }
}

/// The input of a serializer.
public struct SerializationInput: Sendable {
    /// The request that was sent, or nil if it is not known.
    public let request: HTTPRequest?
    /// The head of the response, or nil if there is none.
    public let response: ResponseHead?
    /// The body with content codings removed, or nil if there is none.
    public let data: [UInt8]?

    /// Creates an input from its parts.
    public init(request: HTTPRequest?, response: ResponseHead?, data: [UInt8]?) {
        self.request = request
        self.response = response
        self.data = data
    }

    /// Whether the body is missing or empty.
    public var isEmpty: Bool { data?.isEmpty ?? true }
}

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

/// When a response without a body is acceptable.
public struct EmptyResponsePolicy: Sendable, Hashable {
    /// Methods whose responses may be empty.
    public var requestMethods: Set<HTTPMethod>
    /// Statuses whose responses may be empty.
    public var responseCodes: Set<Int>

    /// The default: HEAD.
    public static let usualRequestMethods: Set<HTTPMethod> = [.head]
    /// The default: 204 and 205.
    public static let usualResponseCodes: Set<Int> = [204, 205]

    /// Creates a policy; the defaults are HEAD, and 204 and 205.
    public init(
        requestMethods: Set<HTTPMethod> = usualRequestMethods,
        responseCodes: Set<Int> = usualResponseCodes
    ) {
        self.requestMethods = requestMethods
        self.responseCodes = responseCodes
    }

    /// Whether an empty body is acceptable.
    public func allowsEmpty(_ input: SerializationInput) -> Bool {
        input.request.map { requestMethods.contains($0.method) } ?? false
            || input.response.map { responseCodes.contains($0.status) } ?? false
    }

    /// - Throws: `.inputDataNilOrZeroLength` if an empty body is not acceptable.
    func check(_ input: SerializationInput) throws(ClientError) {
        guard allowsEmpty(input) else {
            throw ClientError(.responseSerializationFailed(.inputDataNilOrZeroLength))
        }
    }
}

/// A type that has a value for an empty response.
public protocol EmptyResponse: Sendable {
    /// The value for an empty response.
    static func emptyValue() -> Self
}

/// The value of a response that is always empty.
public struct Empty: EmptyResponse, Codable, Hashable {
    /// The only value.
    public static let value = Empty()
    /// Creates the only value.
    public init() {}
    /// The only value.
    public static func emptyValue() -> Empty { value }
}

/// Transforms a body before it is serialized.
public protocol DataPreprocessor: Sendable {
    /// The body to serialize.
    func preprocess(_ data: [UInt8]) throws -> [UInt8]
}

/// Leaves bodies unchanged.
public struct PassthroughPreprocessor: DataPreprocessor {
    /// Creates a preprocessor.
    public init() {}
    /// Returns the same body.
    public func preprocess(_ data: [UInt8]) -> [UInt8] { data }
}

/// Removes the `)]}',` and line feed that some servers put before JSON so that it cannot be
/// included as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    /// Creates a preprocessor.
    public init() {}
    /// The body without the prefix.
    public func preprocess(_ data: [UInt8]) -> [UInt8] {
        let prefix = Array(")]}',\n".utf8)
        return data.starts(with: prefix) ? Array(data.dropFirst(prefix.count)) : data
    }
}

/// Decodes values from bytes: any of Foundation's decoders, or your own.
public protocol DataDecoder: Sendable {
    /// Decodes a value of a type.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
