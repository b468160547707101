public import Foundation
public import ProxydHTTPModel

/// Makes a value of a response.
///
/// One of the two methods is enough, and one must be written, else the serializer fails: the second
/// is for code that was written for Alamofire. Both can be called, whichever was written.
public protocol ResponseSerializer<Output>: Sendable {
    /// What it makes.
    associatedtype Output: Sendable
    /// Makes a value. Not called for a request that failed before.
    /// - Throws: why there is none.
    func serialize(_ input: SerializationInput) throws -> Output
    /// Makes a value; `error` is nil, as serializers are not asked about what failed before.
    /// - Throws: why there is none.
    func serialize(
        request: HTTPRequest?, response: ResponseHead?, data: Data?, error: (any Error)?
    ) throws -> Output
}

extension ResponseSerializer {
    /// What the other method makes.
    public func serialize(_ input: SerializationInput) throws -> Output {
        try AskedForm.$serializer.withValue(ObjectIdentifier(Self.self)) {
            try serialize(
                request: input.request, response: input.response,
                data: input.data.map { Data($0) }, error: nil)
        }
    }

    /// What the other method makes.
    /// - Throws: `error`, and a `ClientError` where neither method was written.
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

/// What a serializer works on.
public struct SerializationInput: Sendable {
    /// What was sent; nil where that is not known.
    public let request: HTTPRequest?
    /// The head of the response; nil where there is none.
    public let response: ResponseHead?
    /// The body, content codings undone; nil where there is none.
    public let data: [UInt8]?

    /// An input.
    public init(request: HTTPRequest?, response: ResponseHead?, data: [UInt8]?) {
        self.request = request
        self.response = response
        self.data = data
    }

    /// Whether there is no body, or an empty one.
    public var isEmpty: Bool { data?.isEmpty ?? true }
}
