public import ProxydHTTPModel

/// A response as it goes on to a client, whatever version is spoken there (RFC 9110 §7.6).
///
/// All lines of `head` go on byte for byte and in their places, but for those about a connection
/// and about framing. `HTTP1HeadWriter` writes it as text.
public struct ForwardedResponse: Sendable {
    /// The head whose status and lines go on: as it came, or as it was changed.
    public var head: ResponseHead
    /// How its body ended, or ends.
    public var body: BodyLength
    /// What is added or left out.
    public var options: Options

    /// What forwarding adds beyond what RFC 9110 §7.6 asks.
    public struct Options: Sendable, Hashable {
        /// The name we give ourselves in Via (RFC 9110 §7.6.3); nil adds no Via.
        public var viaPseudonym: String?
        /// What Date says where the server gave none (RFC 9110 §6.6.1); nil adds no Date.
        public var date: String?

        /// Whether something was put in that no one may read later: what the client gets is not
        /// recorded.
        public var isSecret = false

        /// The defaults: no Via, no Date.
        public init() {}
    }

    /// A response that came with `head`, to be sent on.
    public init(
        head: consuming ResponseHead, body: BodyLength, options: consuming Options = Options()
    ) {
        self.head = head
        self.body = body
        self.options = options
    }
}
