/// Why pairs have no tree.
public enum ParameterTreeError: Error, Sendable, Hashable {
    /// More values than the limit.
    case tooManyValues
}
