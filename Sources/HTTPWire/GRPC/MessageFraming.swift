public import ProxydHTTPModel

/// How a body consists of messages, each with a prefix of five bytes: a byte of flags and the
/// length in network byte order.
public enum MessageFraming: Sendable, Hashable, CaseIterable {
    /// gRPC over HTTP/2 ("Length-Prefixed-Message" in grpc/doc/PROTOCOL-HTTP2.md).
    case grpc
    /// gRPC-Web (grpc/doc/PROTOCOL-WEB.md): trailers are the last message of a response.
    case grpcWeb
    /// gRPC-Web encoded in Base64.
    case grpcWebText
    /// Connect streams: the last message contains the final status, as JSON.
    case connect
}

extension MessageFraming {
    /// The framing of a media type; nil for any other type. Case, parameters and the suffix after
    /// `+` are ignored, except for Connect, whose calls without `+` have no prefixes.
    public init?(contentType: Span<UInt8>) {
        if MessageFraming.isType(contentType, "application/grpc") {
            self = .grpc
        } else if MessageFraming.isType(contentType, "application/grpc-web-text") {
            self = .grpcWebText
        } else if MessageFraming.isType(contentType, "application/grpc-web") {
            self = .grpcWeb
        } else if MessageFraming.hasPrefix(contentType, "application/connect+") {
            self = .connect
        } else {
            return nil
        }
    }

    /// The framing according to the fields of a message.
    public init?(_ fields: borrowing HeaderFields) {
        guard let line = fields.first(.contentType) else { return nil }
        self.init(contentType: fields.bytes.span.extracting(line.valueRange))
    }

    private static func isType(_ value: Span<UInt8>, _ type: StaticString) -> Bool {
        let count = type.utf8CodeUnitCount
        guard hasPrefix(value, type) else { return false }
        guard value.count > count else { return true }
        switch value[count] {
        case UInt8(ascii: "+"), UInt8(ascii: ";"), 0x20, 0x09: return true
        default: return false
        }
    }

    private static func hasPrefix(_ value: Span<UInt8>, _ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard value.count >= count else { return false }
        return ASCII.equalsIgnoringCase(value.extracting(0..<count), prefix)
    }
}
