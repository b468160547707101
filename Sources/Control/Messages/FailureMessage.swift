internal import ProxydHTTPModel

/// `ExchangeFailure` in the format of the control socket.
struct FailureMessage: Sendable, Hashable, Codable {
    var origin: String
    var kind: String
    var message: String

    init(_ failure: ExchangeFailure) {
        origin = failure.origin.rawValue
        kind = failure.kind.rawValue
        message = failure.message
    }

    func failure() throws(ControlError) -> ExchangeFailure {
        guard let origin = ExchangeFailure.Origin(rawValue: origin),
            let kind = ExchangeFailure.Kind(rawValue: kind)
        else { throw ControlError(.badMessage, "an imported failure has an unknown kind") }
        return ExchangeFailure(origin: origin, kind: kind, message: message)
    }
}
