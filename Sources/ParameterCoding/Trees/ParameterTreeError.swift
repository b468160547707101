/// Why pairs have no tree.
public enum ParameterTreeError: Error, Sendable, Hashable {
    /// More values than the limit.
    case tooManyValues
}

extension ParameterTreeError: CustomStringConvertible {
    /// What is wrong, for a person.
    public var description: String {
        switch self {
        case .tooManyValues: "the pairs hold more values than the limit"
        }
    }
}
