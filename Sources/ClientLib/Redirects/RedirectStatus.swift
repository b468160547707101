internal import ProxydHTTPModel

/// The statuses that name another URL to ask (RFC 9110 §15.4). 300 leaves a choice, 304 is about
/// a cache, 305 and 306 mean no more: none of them is followed.
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
