public import HTTPModel

/// Makes a value of a response.
public protocol ResponseSerializer<Output>: Sendable {
    /// What it makes.
    associatedtype Output: Sendable
    /// Makes a value. Not called for a request that failed before.
    /// - Throws: why there is none.
    func serialize(_ input: SerializationInput) throws -> Output
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
