public import ProxydHTTPModel
public import FoundationEssentials

/// Makes a value from a response.
///
/// Implement one of the two methods; if neither is implemented, the serializer fails. The second is
/// for code that was written for Alamofire. Both can be called, whichever is implemented.
public protocol ResponseSerializer<Output>: Sendable {
    associatedtype Output: Sendable
    /// Not called if the request has already failed.
    func serialize(_ input: SerializationInput) throws -> Output
    /// `error` is nil, because serializers are not called after a failure.
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

public struct SerializationInput: Sendable {
    /// The request that was sent, or nil if it is not known.
    public let request: HTTPRequest?
    public let response: ResponseHead?
    /// The body with content codings removed, or nil if there is none.
    public let data: [UInt8]?

    public init(request: HTTPRequest?, response: ResponseHead?, data: [UInt8]?) {
        self.request = request
        self.response = response
        self.data = data
    }

    public var isEmpty: Bool { data?.isEmpty ?? true }
}

/// Tries several serializers in order and returns the first value.
public struct FirstOfSerializer<Output: Sendable>: ResponseSerializer {
    private let serializers: [any ResponseSerializer<Output>]

    public init(_ serializers: [any ResponseSerializer<Output>]) {
        self.serializers = serializers
    }

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
        throw ClientError(.responseSerializationFailed(.noSerializerMatched), underlying: last)
    }
}

public struct ClosureSerializer<Output: Sendable>: ResponseSerializer {
    private let closure: @Sendable (SerializationInput) throws -> Output

    public init(_ closure: @escaping @Sendable (SerializationInput) throws -> Output) {
        self.closure = closure
    }

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
    public var requestMethods: Set<HTTPMethod>
    public var responseCodes: Set<Int>

    public static let usualRequestMethods: Set<HTTPMethod> = [.head]
    public static let usualResponseCodes: Set<Int> = [204, 205]

    public init(
        requestMethods: Set<HTTPMethod> = usualRequestMethods,
        responseCodes: Set<Int> = usualResponseCodes
    ) {
        self.requestMethods = requestMethods
        self.responseCodes = responseCodes
    }

    public func allowsEmpty(_ input: SerializationInput) -> Bool {
        input.request.map { requestMethods.contains($0.method) } ?? false
            || input.response.map { responseCodes.contains($0.status) } ?? false
    }

    /// The body, or nil if it is empty.
    /// - Throws: `.inputDataNilOrZeroLength` if an empty body is not acceptable.
    func data(of input: SerializationInput) throws(ClientError) -> [UInt8]? {
        if let data = input.data, !data.isEmpty { return data }
        guard allowsEmpty(input) else {
            throw ClientError(.responseSerializationFailed(.inputDataNilOrZeroLength))
        }
        return nil
    }
}

/// A type that has a value for an empty response.
public protocol EmptyResponse: Sendable {
    static func emptyValue() -> Self
}

/// The value of a response that is always empty.
public struct Empty: EmptyResponse, Codable, Hashable {
    public static let value = Empty()
    public init() {}
    public static func emptyValue() -> Empty { value }
}

/// Transforms a body before it is serialized.
public protocol DataPreprocessor: Sendable {
    func preprocess(_ data: [UInt8]) throws -> [UInt8]
}

/// Leaves bodies unchanged.
public struct PassthroughPreprocessor: DataPreprocessor {
    public init() {}
    public func preprocess(_ data: [UInt8]) -> [UInt8] { data }
}

/// Removes the `)]}',` and line feed that some servers put before JSON so that it cannot be
/// included as a script.
public struct GoogleXSSIPreprocessor: DataPreprocessor {
    public init() {}
    public func preprocess(_ data: [UInt8]) -> [UInt8] {
        let prefix = Array(")]}',\n".utf8)
        return data.starts(with: prefix) ? Array(data.dropFirst(prefix.count)) : data
    }
}

/// Decodes values from bytes: any of Foundation's decoders, or your own.
public protocol DataDecoder: Sendable {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
