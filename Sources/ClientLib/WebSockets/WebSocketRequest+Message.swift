extension WebSocketRequest {
    /// A message of a WebSocket. The names are those of `URLSession`.
    public enum Message: Sendable, Hashable {
        /// Text, which is sent as UTF-8.
        case string(String)
        /// A binary message.
        case data([UInt8])

        /// The bytes of the message, whichever kind it is.
        public var bytes: [UInt8] {
            switch self {
            case .string(let text): Array(text.utf8)
            case .data(let bytes): bytes
            }
        }

        /// The size of the message in bytes.
        public var byteCount: Int {
            switch self {
            case .string(let text): text.utf8.count
            case .data(let bytes): bytes.count
            }
        }

        /// The text, or nil for a binary message.
        public var string: String? { if case .string(let text) = self { text } else { nil } }
    }
}
