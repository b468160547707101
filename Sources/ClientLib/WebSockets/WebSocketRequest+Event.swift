public import ProxydHTTPModel

extension WebSocketRequest {
    /// An event of a WebSocket. `Success` is the type that messages are converted to; `Failure` is
    /// `Never` if every conversion succeeds.
    public struct Event<Success: Sendable, Failure: Error>: Sendable {
        /// The kinds of events.
        public enum Kind: Sendable {
            /// The WebSocket is open, with the subprotocol that the server selected or nil for
            /// none.
            case connected(protocol: String?)
            /// A message has arrived.
            case receivedMessage(Success)
            /// A message has arrived that could not be converted to a value.
            case serializerFailed(Failure)
            /// The WebSocket was closed with a closing handshake, with the server's code and
            /// reason.
            case disconnected(closeCode: CloseCode, reason: String)
            /// Nothing more follows. Always the last event.
            case completed(Completion)
        }

        /// The kind of event.
        public let kind: Kind

        /// The message, or nil for other events.
        public var message: Success? {
            if case .receivedMessage(let message) = kind { message } else { nil }
        }
        /// How the WebSocket ended, or nil for other events.
        public var completion: Completion? {
            if case .completed(let completion) = kind { completion } else { nil }
        }
    }

    /// How a WebSocket ended.
    public struct Completion: Sendable {
        /// The request that opened the WebSocket, or tried to.
        public let request: HTTPRequest?
        /// The head of the server's response, or nil if none arrived.
        public let response: ResponseHead?
        /// The first 64 KiB of the body if the server refused the WebSocket; otherwise nil.
        public let data: [UInt8]?
        /// When each step of the request happened.
        public let timeline: RequestTimeline
        /// Why the WebSocket failed, or nil if it was closed normally.
        public let error: ClientError?
    }
}
