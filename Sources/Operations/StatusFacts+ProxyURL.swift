extension StatusFacts {
    /// The URL of the HTTP proxy, or the default one if unknown.
    public var proxyURL: String {
        let address = proxyAddress ?? listenAddresses.first ?? "127.0.0.1:8080"
        let colon = address.lastIndex(of: ":") ?? address.endIndex
        let host = address[..<colon]
        // It listens on all addresses of this machine, which include loopback.
        let reached = host == "0.0.0.0" ? "127.0.0.1" : host == "[::]" ? "[::1]" : host
        return "http://\(reached)\(address[colon...])"
    }
}
