public import FoundationEssentials
public import ProxydHTTPModel

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
