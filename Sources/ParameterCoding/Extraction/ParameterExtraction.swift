/// The parameters extracted from one request.
public struct ParameterExtraction: Sendable, Hashable {
    /// The parameters in order.
    public let parameters: [ExtractedParameter]
    /// Whether a limit excluded parameters or truncated a value.
    public let isCut: Bool
}
