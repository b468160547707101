public import ProxydCaptureModel
internal import ProxydContentCoding
public import ProxydHTTPModel

/// A gRPC, gRPC-Web or Connect call, with what the heads of the exchange say about its messages.
public struct GRPCCall: Sendable, Hashable {
    /// The path: `/package.Service/Method`.
    public var path: String
    /// The Content-Type in each direction.
    private var types: [MessageRecord.Direction: String] = [:]
    /// The message encoding (compression) in each direction.
    private var encodings: [MessageRecord.Direction: String] = [:]

    /// The maximum size of one decompressed message, in bytes.
    public static let decompressedByteCountMax = 64 << 20

    /// Creates a call from its path and the fields of its heads, as far as they are known.
    public init(path: String, request: HeaderFields?, response: HeaderFields?) {
        self.path = path
        take(request, .toServer)
        take(response, .toClient)
    }

    /// The call of an exchange; nil if its URL could not be parsed.
    public init?(_ exchange: Exchange) {
        guard let url = exchange.request.url else { return nil }
        self.init(
            path: url.pathText, request: exchange.request.head?.fields,
            response: exchange.response?.head.fields)
    }

    private mutating func take(_ fields: HeaderFields?, _ direction: MessageRecord.Direction) {
        guard let fields else { return }
        types[direction] = fields["content-type"]
        encodings[direction] = fields["grpc-encoding"] ?? fields["connect-content-encoding"]
    }

    /// Whether the messages in a direction are JSON instead of protocol buffers.
    func isJSON(_ direction: MessageRecord.Direction) -> Bool {
        let type = (types[direction] ?? "").lowercased().prefix { $0 != ";" }
        return type.hasSuffix("+json") || type == "application/json"
    }

    /// The decompressed bytes of a message; nil if the compression is unknown or the data is
    /// corrupt.
    public func bytes(of message: MessageRow) -> [UInt8]? {
        guard message.flags.contains(.compressed) || message.flags.contains(.stillCompressed)
        else { return message.bytes }
        if let decoded = decompressed(message) { return decoded }
        // A message that was already decompressed is stored that way.
        return message.flags.contains(.stillCompressed) || isCompressed(message)
            ? nil
            : message.bytes
    }

    /// Whether the bytes start with the gzip magic number, which no protocol buffers message does.
    private func isCompressed(_ message: MessageRow) -> Bool {
        message.bytes.starts(with: [0x1F, 0x8B])
    }

    private func decompressed(_ message: MessageRow) -> [UInt8]? {
        let encoding = encodings[message.direction] ?? "identity"
        var limits = DecodingLimits()
        limits.decodedByteCountMax = GRPCCall.decompressedByteCountMax
        guard encoding.lowercased() != "identity" else { return nil }
        let content = ContentDecoder.decode(
            message.bytes.span, contentEncoding: encoding, limits: limits)
        guard content.remark == nil else { return nil }
        // If the message was truncated, return the part that was decompressed.
        return content.failure == nil || message.flags.contains(.cut) ? content.bytes : nil
    }
}
