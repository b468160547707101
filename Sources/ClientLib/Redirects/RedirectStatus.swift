internal import ProxydHTTPModel

/// The statuses that redirect to another URL (RFC 9110 §15.4). Not followed: 300 offers a choice,
/// 304 concerns caches, and 305 and 306 are obsolete.
enum RedirectStatus: Int {
    case movedPermanently = 301
    case found = 302
    case seeOther = 303
    case temporaryRedirect = 307
    case permanentRedirect = 308

    /// Whether the next request is a GET without a body.
    func becomesGet(_ method: HTTPMethod, keepsPost: Bool) -> Bool {
        switch self {
        case .movedPermanently, .found: method == .post && !keepsPost
        case .seeOther: method != .get && method != .head
        case .temporaryRedirect, .permanentRedirect: false
        }
    }
}
