internal import ProxydHTTPModel

/// Why a request is not served: its client has to authenticate.
enum AccessRefusal: Sendable, Hashable {
    /// It has no name and password that can be read.
    case missing
    /// The name or the password is wrong.
    case wrong
    /// Too many passwords are being checked.
    case tooMany

    /// The failure of its record.
    var failure: ExchangeFailure {
        let message =
            switch self {
            case .missing: "the listener needs a user name and a password, and there were none"
            case .wrong: "the user name or the password is wrong"
            case .tooMany: "too many passwords of this client are being checked"
            }
        return ExchangeFailure(origin: .client, kind: .refused, message: message)
    }

    /// The answer (RFC 9110 §15.5.8, §11.7.1).
    var answer: LocalResponse {
        var response = LocalResponse(
            status: 407, reason: "Proxy Authentication Required",
            text: "proxyd: \(failure.message)")
        response.fields = [
            ("Proxy-Authenticate", #"Basic realm="proxyd", charset="UTF-8""#)
        ]
        return response
    }
}
