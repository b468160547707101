/// Who asks for credentials: each has its own status and fields (RFC 9110 §11.6, §11.7).
public enum AuthenticationRecipient: Sendable, Hashable {
    /// The server a URL names.
    case origin
    /// The proxy on the way to it.
    case proxy

    /// The status of a response that asks.
    public var status: Int {
        switch self {
        case .origin: 401
        case .proxy: 407
        }
    }

    /// The field of a response that asks.
    public var challengeFieldName: String {
        switch self {
        case .origin: "WWW-Authenticate"
        case .proxy: "Proxy-Authenticate"
        }
    }

    /// The field of a request that answers.
    public var credentialsFieldName: String {
        switch self {
        case .origin: "Authorization"
        case .proxy: "Proxy-Authorization"
        }
    }

    /// The field of a response that accepts, and may have a next nonce (RFC 7616 §3.5).
    var infoFieldName: String {
        switch self {
        case .origin: "Authentication-Info"
        case .proxy: "Proxy-Authentication-Info"
        }
    }
}
