/// What was taken from one request.
public struct ParameterExtraction: Sendable, Hashable {
    /// The parameters in order.
    public let parameters: [ExtractedParameter]
    /// Whether a limit kept parameters out or shortened a value.
    public let isCut: Bool
}
