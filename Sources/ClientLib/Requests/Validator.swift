internal import ProxydHTTPModel

/// Looks at a response and throws where it is not acceptable.
struct Validator: Sendable {
    let validate: @Sendable (RequestOutcome) throws(ClientError) -> Void
}
