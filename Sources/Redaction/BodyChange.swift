package import ProxydHTTPModel

/// The effect of redaction on a body.
package enum BodyChange {
    /// The body contains no credentials and stays as it is.
    case unchanged
    /// The body is replaced by these bytes, not content-coded. `leftOut` names removed parts.
    case replaced([UInt8], leftOut: [String])
    /// The body is removed.
    case removed

    /// What was removed: `body`, or parts of it.
    package var leftOut: [String] {
        switch self {
        case .unchanged: []
        case .replaced(_, let parts): parts
        case .removed: ["body"]
        }
    }

    package func applied(to body: Body) -> Body {
        switch self {
        case .unchanged: body
        case .replaced(let bytes, _):
            // A truncated body stays truncated.
            Body(
                byteCount: body.isTruncated
                    ? max(body.byteCount, Int64(bytes.count) + 1) : Int64(bytes.count),
                kept: bytes)
        case .removed: Body(byteCount: body.byteCount, kept: [])
        }
    }
}
