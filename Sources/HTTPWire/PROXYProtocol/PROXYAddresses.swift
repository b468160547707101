/// The two ends of a connection in a PROXY header.
public struct PROXYAddresses: Sendable, Hashable {
    /// An address and a port.
    public struct Endpoint: Sendable, Hashable {
        /// The IP address.
        public let address: InternetAddress
        /// The TCP port.
        public let port: UInt16

        /// Creates an endpoint.
        public init(address: InternetAddress, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// The client that connected.
    public let source: Endpoint
    /// Where it connected to.
    public let destination: Endpoint

    /// Creates a pair of endpoints.
    public init(source: Endpoint, destination: Endpoint) {
        self.source = source
        self.destination = destination
    }
}
