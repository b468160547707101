extension ConnectionRecord {
    /// How a client's connection reached the proxy.
    public struct Arrival: Sendable, Hashable {
        /// What the clients of a listener speak.
        public enum Mode: String, Sendable, Hashable, CaseIterable {
            /// HTTP with requests to a proxy.
            case proxy
            /// HTTP with requests to a server, whose place the proxy takes.
            case reverse
            /// SOCKS 4, 4a or 5.
            case socks
            /// Anything: the kernel has redirected the connection.
            case transparent
        }

        /// The name of the listener.
        public var listener: String
        /// The mode of the listener.
        public var mode: Mode
        /// The address that the client connected to, `192.0.2.1:443`, if it is not the proxy's own:
        /// where a redirected connection was going, or the destination in a PROXY header.
        public var originalAddress: String?
        /// The client's address in a PROXY header, `192.0.2.1:51234`; nil without one. The peer of
        /// the connection is the program that sent the header.
        public var proxyProtocolPeer: String?

        /// Creates a description of an arrival.
        public init(
            listener: String, mode: Mode, originalAddress: String? = nil,
            proxyProtocolPeer: String? = nil
        ) {
            self.listener = listener
            self.mode = mode
            self.originalAddress = originalAddress
            self.proxyProtocolPeer = proxyProtocolPeer
        }
    }
}
