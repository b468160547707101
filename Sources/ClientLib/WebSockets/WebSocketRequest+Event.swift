public import ProxydHTTPModel

extension WebSocketRequest {
    /// What happens to a WebSocket. `Success` is what messages become; `Failure` is `Never` where
    /// each becomes something.
    public struct Event<Success: Sendable, Failure: Error>: Sendable {
        /// What can happen.
        public enum Kind: Sendable {
            /// It is open; with the subprotocol that the server chose, nil for none.
            case connected(protocol: String?)
            /// A message came.
            case receivedMessage(Success)
            /// A message came that could not be turned into a value.
            case serializerFailed(Failure)
            /// It was closed with a closing handshake: what the server said.
            case disconnected(closeCode: CloseCode, reason: String)
            /// Nothing more comes. Always the last event.
            case completed(Completion)
        }

        /// What happened.
        public let kind: Kind

        /// The message; nil where it is something else.
        public var message: Success? {
            if case .receivedMessage(let message) = kind { message } else { nil }
        }
        /// How it ended; nil before it did.
        public var completion: Completion? {
            if case .completed(let completion) = kind { completion } else { nil }
        }
    }

    /// How a WebSocket ended.
    public struct Completion: Sendable {
        /// The request that opened it, or was to.
        public let request: HTTPRequest?
        /// The head of the server's answer; nil where none came.
        public let response: ResponseHead?
        /// The first 64 KiB of the body if the server refused the WebSocket; otherwise nil.
        public let data: [UInt8]?
        /// When everything happened.
        public let timeline: RequestTimeline
        /// Why it failed; nil where it was closed normally.
        public let error: ClientError?
    }
}
