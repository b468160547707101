internal import ProxydHTTPModel

/// Checks a response and throws if it is not acceptable.
struct Validator: Sendable {
    let validate: @Sendable (RequestOutcome) throws(ClientError) -> Void
}
