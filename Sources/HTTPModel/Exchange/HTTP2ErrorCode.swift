/// Why a stream was reset or a connection ended (RFC 9113 §7). Codes that no one has defined are
/// kept as they came.
public struct HTTP2ErrorCode: Sendable, Hashable, CustomStringConvertible {
    /// The code on the wire.
    public let rawValue: UInt32

    /// A code.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Nothing is wrong.
    public static let noError = HTTP2ErrorCode(rawValue: 0)
    /// The peer broke a rule.
    public static let protocolError = HTTP2ErrorCode(rawValue: 1)
    /// Something failed on the sender's side.
    public static let internalError = HTTP2ErrorCode(rawValue: 2)
    /// The peer sent more than its window.
    public static let flowControlError = HTTP2ErrorCode(rawValue: 3)
    /// Settings were not acknowledged in time.
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 4)
    /// A frame came for a stream that its sender had ended.
    public static let streamClosed = HTTP2ErrorCode(rawValue: 5)
    /// A frame has a size that its type does not allow.
    public static let frameSizeError = HTTP2ErrorCode(rawValue: 6)
    /// Nothing of the request was acted on: it may be sent again.
    public static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    /// The stream is not needed any more.
    public static let cancel = HTTP2ErrorCode(rawValue: 8)
    /// A field section cannot be decompressed.
    public static let compressionError = HTTP2ErrorCode(rawValue: 9)
    /// The connection of a CONNECT broke.
    public static let connectError = HTTP2ErrorCode(rawValue: 10)
    /// The peer does too much of what helps no one.
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    /// TLS is weaker than RFC 9113 §9.2 asks.
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 12)
    /// The request must be made with HTTP/1.1.
    public static let http11Required = HTTP2ErrorCode(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// How many codes have a name; the first is 0.
    public static var namedCount: UInt32 { UInt32(clamping: names.count) }

    /// A code by the name that RFC 9113 gives it, whatever its case; nil where there is none.
    public init?(name: String) {
        guard let place = HTTP2ErrorCode.names.firstIndex(of: name.uppercased()) else {
            return nil
        }
        self.init(rawValue: UInt32(truncatingIfNeeded: place))
    }

    /// The name that RFC 9113 gives it, else the number.
    public var description: String {
        rawValue < HTTP2ErrorCode.names.count
            ? HTTP2ErrorCode.names[Int(rawValue)] : String(rawValue)
    }
}
