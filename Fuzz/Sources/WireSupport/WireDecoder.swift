public import ProxydHTTPModel
public import ProxydHTTPWire

/// What the two decoders have in common.
public protocol WireDecoder {
    associatedtype Head: Sendable & Hashable
    /// As of the decoders.
    var partialHead: [UInt8] { get }
    /// Whether what is not taken is meant to be left.
    var leavesInput: Bool { get }
    /// As of the decoders.
    mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<Head>
    /// As of the decoders.
    mutating func finish() throws(WireError) -> Decoded<Head>
    /// Called at the beginning and after each message.
    mutating func prepareForNext()
}

/// A request decoder that notes when a tunnel follows.
public struct RequestReader: WireDecoder {
    private var decoder: RequestDecoder
    /// Whether a tunnel follows.
    public private(set) var leavesInput = false

    /// A reader at the beginning of a connection.
    public init(limits: WireLimits = WireLimits()) { decoder = RequestDecoder(limits: limits) }

    /// As of the decoder.
    public var partialHead: [UInt8] { decoder.partialHead }
    /// Nothing is to be prepared.
    public mutating func prepareForNext() {}

    /// As of the decoder.
    public mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        let decoded = try decoder.decode(input, from: &offset)
        if case .head(let head, _) = decoded, head.method == .connect { leavesInput = true }
        return decoded
    }

    /// As of the decoder.
    public mutating func finish() throws(WireError) -> Decoded<RequestHead> {
        try decoder.finish()
    }
}

/// A response decoder that expects a response to the same method again and again.
public struct ResponseReader: WireDecoder {
    private var decoder: ResponseDecoder
    private let method: HTTPMethod

    /// A reader at the beginning of a connection.
    public init(method: HTTPMethod, limits: WireLimits = WireLimits()) {
        self.method = method
        decoder = ResponseDecoder(limits: limits)
    }

    /// As of the decoder.
    public var partialHead: [UInt8] { decoder.partialHead }
    /// Whether a tunnel follows.
    public var leavesInput: Bool { decoder.isTunnel }
    /// Announces the next response.
    public mutating func prepareForNext() { decoder.expectResponse(toMethod: method) }

    /// As of the decoder.
    public mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        try decoder.decode(input, from: &offset)
    }

    /// As of the decoder.
    public mutating func finish() throws(WireError) -> Decoded<ResponseHead> {
        try decoder.finish()
    }
}
