/// mitmproxy's filter operators, with the same meaning; regular expressions ignore case.
enum MitmproxyOperator: String, Sendable, CaseIterable {
    case all, http, websocket, tcp
    case q, s, e, a, marked, replay, replayq
    case u, m, d, h, hq, hs, b, bq, bs, t, tq, ts, src, dst, comment
    case c

    /// A description of the required argument, or nil if the operator takes none.
    var argument: String? {
        switch self {
        case .all, .http, .websocket, .tcp, .q, .s, .e, .a, .marked, .replay, .replayq: nil
        case .c: "a status code"
        default: "a regular expression"
        }
    }

    var takesArgument: Bool { argument != nil }

    /// The meaning of an operator without an argument; nil if the operator requires one.
    var plainExpression: FilterExpression? {
        let answered = FilterExpression.test(.number(.status, FilterNumberRange()))
        switch self {
        case .all, .http: return .everything
        case .websocket: return .test(.text(.columns([.upgradedTo]), .equals("websocket")))
        case .tcp: return .test(.text(.columns([.state]), .equals("tunnel")))
        case .q: return .not(answered)
        case .s: return answered
        case .e: return .test(.text(.columns([.error]), .contains(ByteSearch(""))))
        case .a: return MitmproxyOperator.asset
        case .marked: return .test(.isMarked)
        case .replay, .replayq: return .test(.number(.replayOf, FilterNumberRange()))
        default: return nil
        }
    }

    /// What an operator's regular expression is matched against; nil if it takes none.
    var target: FilterTarget? {
        switch self {
        case .u: .columns([.url])
        case .m: .columns([.method])
        case .d: .columns([.host])
        case .h: .headerLine([.request, .response])
        case .hq: .headerLine([.request])
        case .hs: .headerLine([.response])
        case .b: .body([.request, .response])
        case .bq: .body([.request])
        case .bs: .body([.response])
        case .t: .columns([.requestType, .responseType])
        case .tq: .columns([.requestType])
        case .ts: .columns([.responseType])
        case .src: .columns([.client])
        case .dst: .authority
        case .comment: .columns([.note])
        default: nil
        }
    }

    /// Style sheets, scripts, images and fonts, by the response's type.
    private static let asset = FilterExpression.any(
        [
            "text/javascript", "application/x-javascript", "application/javascript", "text/css",
            "image/", "font/", "application/font",
        ].map { .test(.text(.columns([.responseType]), .contains(ByteSearch($0)))) })
}
