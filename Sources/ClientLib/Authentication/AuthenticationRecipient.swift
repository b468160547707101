/// The server or proxy that asks for credentials; each has its own status and fields (RFC 9110
/// §11.6, §11.7).
public enum AuthenticationRecipient: Sendable, Hashable {
    /// The server that the URL names.
    case origin
    /// The proxy between the client and the server.
    case proxy

    /// The status of a response that asks for credentials.
    public var status: Int {
        switch self {
        case .origin: 401
        case .proxy: 407
        }
    }

    /// The response field that holds the challenges.
    public var challengeFieldName: String {
        switch self {
        case .origin: "WWW-Authenticate"
        case .proxy: "Proxy-Authenticate"
        }
    }

    /// The request field that holds the credentials.
    public var credentialsFieldName: String {
        switch self {
        case .origin: "Authorization"
        case .proxy: "Proxy-Authorization"
        }
    }

    /// The response field that confirms authentication and may hold a next nonce (RFC 7616 §3.5).
    var infoFieldName: String {
        switch self {
        case .origin: "Authentication-Info"
        case .proxy: "Proxy-Authentication-Info"
        }
    }
}
