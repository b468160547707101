extension WebSocketRequest {
    /// What goes over a WebSocket. The names are those of `URLSession`.
    public enum Message: Sendable, Hashable {
        /// Text; UTF-8 on the wire.
        case string(String)
        /// Bytes.
        case data([UInt8])

        /// Its bytes, whatever it is.
        public var octets: [UInt8] {
            switch self {
            case .string(let text): Array(text.utf8)
            case .data(let octets): octets
            }
        }

        /// How many bytes it has.
        public var byteCount: Int {
            switch self {
            case .string(let text): text.utf8.count
            case .data(let octets): octets.count
            }
        }

        /// The text; nil where it is bytes.
        public var string: String? { if case .string(let text) = self { text } else { nil } }
    }
}
