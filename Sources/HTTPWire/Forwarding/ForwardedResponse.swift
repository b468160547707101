public import ProxydHTTPModel

/// A response in the form in which it is forwarded to a client over any HTTP version (RFC 9110
/// §7.6).
///
/// All lines of `head` are forwarded byte for byte and in place, except connection and framing
/// fields. `HTTP1HeadWriter` writes it as text.
public struct ForwardedResponse: Sendable {
    /// The head whose status and lines are forwarded: as it came, or changed.
    public var head: ResponseHead
    /// The framing of the body.
    public var body: BodyLength
    /// What is added.
    public var options: Options

    /// What forwarding adds in addition to the requirements of RFC 9110 §7.6.
    public struct Options: Sendable, Hashable {
        /// The proxy's name in Via (RFC 9110 §7.6.3); nil adds no Via.
        public var viaPseudonym: String?
        /// The value of Date if the server sent none (RFC 9110 §6.6.1); nil adds no Date.
        public var date: String?

        /// Whether a secret was inserted: what the client gets is not recorded then.
        public var isSecret = false

        /// Creates options with the default values: no Via, no Date.
        public init() {}
    }

    /// Creates a response that came with `head`, to be forwarded.
    public init(
        head: consuming ResponseHead, body: BodyLength, options: consuming Options = Options()
    ) {
        self.head = head
        self.body = body
        self.options = options
    }
}
