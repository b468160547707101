public import ProxydCaptureModel
internal import ProxydContentCoding
public import ProxydHTTPModel

/// What the heads of an exchange say of its messages of gRPC, gRPC-Web or Connect.
public struct GRPCCall: Sendable, Hashable {
    /// The path: `/package.Service/Method`.
    public var path: String
    /// Content-Type, by direction.
    private var types: [MessageRecord.Direction: String] = [:]
    /// What messages are compressed with, by direction.
    private var encodings: [MessageRecord.Direction: String] = [:]

    /// What one message may have before it was compressed, in bytes.
    public static let decompressedByteCountMax = 64 << 20

    /// A call with a path and the fields of its heads, as far as they are known.
    public init(path: String, request: HeaderFields?, response: HeaderFields?) {
        self.path = path
        take(request, .toServer)
        take(response, .toClient)
    }

    /// The call of an exchange; nil where its URL could not be read.
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

    /// Whether the messages of a direction are JSON, not protocol buffers.
    func isJSON(_ direction: MessageRecord.Direction) -> Bool {
        let type = (types[direction] ?? "").lowercased().prefix { $0 != ";" }
        return type.hasSuffix("+json") || type == "application/json"
    }

    /// The bytes of a message without its compression; nil where that is one that is not known,
    /// or they are broken.
    public func octets(of message: MessageRow) -> [UInt8]? {
        guard message.flags.contains(.compressed) || message.flags.contains(.stillCompressed)
        else { return message.octets }
        if let decoded = decompressed(message) { return decoded }
        // One that was decompressed already is kept so.
        return message.flags.contains(.stillCompressed) || isCompressed(message)
            ? nil
            : message.octets
    }

    /// Whether the bytes begin as those of gzip do: no message of protocol buffers does.
    private func isCompressed(_ message: MessageRow) -> Bool {
        message.octets.starts(with: [0x1F, 0x8B])
    }

    private func decompressed(_ message: MessageRow) -> [UInt8]? {
        let encoding = encodings[message.direction] ?? "identity"
        var limits = DecodingLimits()
        limits.decodedByteCountMax = GRPCCall.decompressedByteCountMax
        guard encoding.lowercased() != "identity" else { return nil }
        let content = ContentDecoder.decode(
            message.octets.span, contentEncoding: encoding, limits: limits)
        // Of one that was cut, what there is.
        return content.failure == nil || message.flags.contains(.cut) ? content.octets : nil
    }
}
