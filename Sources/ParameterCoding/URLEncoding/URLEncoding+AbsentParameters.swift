extension URLEncoding {
    /// How a request without parameters, not even an empty object, is treated.
    public enum AbsentParameters: Sendable, Hashable {
        /// Query, body and Content-Type are left unchanged.
        case touchNothing
        /// As an empty object: a request with a body gets an empty one, and its Content-Type.
        case actAsEmpty
    }
}
