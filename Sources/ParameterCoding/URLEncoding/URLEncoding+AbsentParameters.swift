extension URLEncoding {
    /// What to do where there are no parameters, not even an empty object.
    public enum AbsentParameters: Sendable, Hashable {
        /// Neither query nor body nor Content-Type.
        case touchNothing
        /// What an empty object does: a request with a body gets an empty one, and its type.
        case actAsEmpty
    }
}
