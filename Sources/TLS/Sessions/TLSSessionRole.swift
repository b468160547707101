internal import ProxydCOpenSSL

/// What a client session is made from.
struct ClientRole {
    let context: TLSClientContext
    let policy: TLSPolicy
    let resumption: ResumptionKey
}

extension TLSSession {
    /// Which end a session is, and how that end words its failures: the peer of a client session
    /// is a server, and the other way round.
    enum Role {
        case client(ClientRole)
        case server(TLSServerContext, alpn: [[UInt8]])

        private var peer: String {
            switch self {
            case .client: "server"
            case .server: "client"
            }
        }

        private var isClient: Bool { if case .client = self { true } else { false } }

        var closedDuringHandshake: TLSError {
            let hint =
                switch self {
                case .client: ""
                case .server: " (certificate pinning or an untrusted CA)"
                }
            return TLSError(
                kind: .closedDuringHandshake,
                message: "the \(peer) closed the connection during the TLS handshake\(hint)")
        }

        var truncated: TLSError {
            TLSError(
                kind: .truncated, message: "the \(peer) closed the connection without close_notify")
        }

        func error(receivedAlert alert: TLSAlert) -> TLSError {
            TLSError(kind: .alertReceived(alert), message: words(for: alert))
        }

        private func words(for alert: TLSAlert) -> String {
            switch self {
            case .server where alert.saysIssuerIsNotTrusted:
                "the client does not trust the proxy's certificate authority (alert \(alert.name))"
            case .server where alert.saysCertificateIsRefused:
                "the client refused the proxy's certificate (alert \(alert.name))"
            case .client where alert.code == 70:
                "the server speaks no TLS version we accept (alert protocol_version)"
            case .client where alert.code == 112:
                "the server does not know this name (alert unrecognized_name)"
            case .client where alert.code == 116:
                "the server asks for a client certificate (alert certificate_required)"
            case .client, .server:
                "the \(peer) ended the TLS session (alert \(alert.name))"
            }
        }

        func error(reason: Int32, text: String, alertSent: TLSAlert?) -> TLSError {
            let sent = alertSent.map { " (alert \($0.name) sent)" } ?? ""
            return TLSError(kind: .protocolFailure, message: words(for: reason, text) + sent)
        }

        /// Who connects to a server says so before these words; of a client nothing is said.
        private func words(for reason: Int32, _ text: String) -> String {
            switch reason {
            case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_WRONG_VERSION_NUMBER,
                SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_RECORD_LENGTH_MISMATCH:
                "what the \(peer) sent is not TLS"
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW:
                "the \(peer) speaks no TLS version we accept (1.2 or 1.3)"
            case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS,
                SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SUITABLE_KEY_SHARE,
                SSL_R_NO_SUITABLE_GROUPS:
                "the \(peer) offers no cipher or signature we accept (\(text))"
            case SSL_R_NO_APPLICATION_PROTOCOL:
                "the \(peer) offers by ALPN no protocol we speak"
            case SSL_R_EXCESSIVE_MESSAGE_SIZE:
                "a message of the \(peer)'s TLS handshake is longer than is accepted"
            case SSL_R_RECORD_TOO_SMALL:
                "the \(peer) sent too many empty TLS records"
            case SSL_R_DH_KEY_TOO_SMALL, SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL:
                "the \(peer)'s key is too small (\(text))"
            default:
                isClient ? text : "TLS with the client failed: \(text)"
            }
        }
    }
}
