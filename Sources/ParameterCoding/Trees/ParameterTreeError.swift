/// Why no tree can be built from pairs.
public enum ParameterTreeError: Error, Sendable, Hashable {
    /// More values than the limit.
    case tooManyValues
}

extension ParameterTreeError: CustomStringConvertible {
    /// A message for the user.
    public var description: String {
        switch self {
        case .tooManyValues: "the pairs hold more values than the limit"
        }
    }
}
