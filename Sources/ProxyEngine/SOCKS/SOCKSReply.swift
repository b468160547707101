internal import ProxydHTTPModel

/// The replies to a request.
enum SOCKSReply {
    /// The reply to a SOCKS 4 request: 0x5A means success.
    static func v4(_ code: UInt8) -> [UInt8] { [0, code, 0, 0, 0, 0, 0, 0] }

    /// The reply to a SOCKS 5 request: 0 means success (RFC 1928 §6). The address is 0.0.0.0:0,
    /// because no client needs the proxy's own.
    static func v5(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// The reply that says that the connection is there.
    static func success(_ version: SOCKSRequest.Version) -> [UInt8] {
        switch version {
        case .v4: v4(0x5A)
        case .v5: v5(0)
        }
    }

    /// The reply that says why there is no connection.
    static func refusal(_ version: SOCKSRequest.Version, _ refusal: Refusal) -> [UInt8] {
        switch version {
        case .v4: v4(0x5B)
        case .v5: v5(code(of: refusal))
        }
    }

    private static func code(of refusal: Refusal) -> UInt8 {
        guard case .failure(let failure) = refusal else { return 2 }
        return switch failure.kind {
        case .refused, .blocked, .loop: 2
        case .connectFailed: 3
        case .nameResolution: 4
        case .connectionRefused: 5
        case .timedOut: 6
        default: 1
        }
    }
}
