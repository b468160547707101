/// Why a stream was reset or a connection ended (RFC 9113 §7). Undefined codes are kept as they
/// came.
public struct HTTP2ErrorCode: Sendable, Hashable, CustomStringConvertible {
    /// The code on the wire.
    public let rawValue: UInt32

    /// Creates an error code.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// No error.
    public static let noError = HTTP2ErrorCode(rawValue: 0)
    /// The peer broke a rule.
    public static let protocolError = HTTP2ErrorCode(rawValue: 1)
    /// An internal error of the sender.
    public static let internalError = HTTP2ErrorCode(rawValue: 2)
    /// The peer exceeded its flow-control window.
    public static let flowControlError = HTTP2ErrorCode(rawValue: 3)
    /// Settings were not acknowledged in time.
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 4)
    /// A frame arrived for a stream that its sender had ended.
    public static let streamClosed = HTTP2ErrorCode(rawValue: 5)
    /// A frame has a size that its type does not allow.
    public static let frameSizeError = HTTP2ErrorCode(rawValue: 6)
    /// The request was not processed: it may be sent again.
    public static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    /// The stream is no longer needed.
    public static let cancel = HTTP2ErrorCode(rawValue: 8)
    /// A field section could not be decompressed.
    public static let compressionError = HTTP2ErrorCode(rawValue: 9)
    /// The connection of a CONNECT broke.
    public static let connectError = HTTP2ErrorCode(rawValue: 10)
    /// The peer causes excessive load.
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    /// TLS does not meet the requirements of RFC 9113 §9.2.
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 12)
    /// The request must be sent over HTTP/1.1.
    public static let http11Required = HTTP2ErrorCode(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The number of codes with a name; they start at 0.
    public static var namedCount: UInt32 { UInt32(clamping: names.count) }

    /// Creates a code from its name in RFC 9113, ignoring case; nil for unknown names.
    public init?(name: String) {
        guard let place = HTTP2ErrorCode.names.firstIndex(of: name.uppercased()) else {
            return nil
        }
        self.init(rawValue: UInt32(truncatingIfNeeded: place))
    }

    /// The name in RFC 9113; the number if it has none.
    public var description: String {
        rawValue < HTTP2ErrorCode.names.count
            ? HTTP2ErrorCode.names[Int(rawValue)] : String(rawValue)
    }
}
