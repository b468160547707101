package import ProxydHTTPModel

/// What redaction does to a body.
package enum BodyChange {
    /// Nothing: it has no credentials.
    case unchanged
    /// It becomes these octets, not content-coded. `leftOut` names parts of it that are gone.
    case replaced([UInt8], leftOut: [String])
    /// It goes.
    case removed

    /// What is gone: `body`, or parts of it.
    var leftOut: [String] {
        switch self {
        case .unchanged: []
        case .replaced(_, let parts): parts
        case .removed: ["body"]
        }
    }

    package func applied(to body: Body) -> Body {
        switch self {
        case .unchanged: body
        case .replaced(let octets, _):
            // A body that was cut stays one.
            Body(
                byteCount: body.isTruncated
                    ? max(body.byteCount, Int64(octets.count) + 1) : Int64(octets.count),
                kept: octets)
        case .removed: Body(byteCount: body.byteCount, kept: [])
        }
    }
}
